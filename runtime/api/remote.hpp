// What the calls on counters and locks share: entering where the runtime may change its state, handles, raising errors.
#pragma once

#include <weft.h>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "remote/counter.hpp"
#include "remote/lock.hpp"

namespace weft::api {

// Creating and freeing may start or end the attendant (remote/attendant.hpp), and with it change what Guard looks at: the
// lock is taken whatever the state.
class StateGuard {
 public:
  explicit StateGuard(const char* call) noexcept { const Guard check_state(call); os::runtime_lock::acquire(); }
  ~StateGuard() { os::runtime_lock::release(); }
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;
};

inline remote::Counter* counter(weft_counter handle) noexcept {
  return number_of(handle) >= first_address ? object<remote::Counter>(handle) : nullptr;
}
inline remote::Lock* lock(weft_lock handle) noexcept {
  return number_of(handle) >= first_address ? object<remote::Lock>(handle) : nullptr;
}
[[gnu::cold]] int bad_counter(const char* call, weft_counter handle);
[[gnu::cold]] int bad_lock(const char* call, weft_lock handle);
[[gnu::cold]] int bad_index(const remote::Counter& counter, const char* call, int index);
[[gnu::cold]] int raise_lost(const remote::Words& words, Status status, const char* call);

// Mixes the arguments that all ranks must give alike.
std::uint64_t fingerprint(std::initializer_list<std::uint64_t> arguments) noexcept;
int raise_made(const comm::Communicator& on, const Failure& failure, const char* call);
int describe_home(const remote::Words& words, int count, const char* call, weft_home* home);

}  // namespace weft::api
