// The one lock of the runtime, and the byte that says whether anything is out of the ordinary.
//
// `runtime_state` is 0 while the runtime is up and the program promised to call from one thread at a time: then nobody
// takes the lock, and an api function pays one predictable branch. Under MPI_THREAD_MULTIPLE (and before initialisation
// and after finalisation) it is not 0. The lock is fair (tickets), recursive (callbacks of the program may call MPI again)
// and is given up by every wait: yield() in a spin, Released around a sleep.
#pragma once

#include <cstdint>

namespace weft::os {

enum RuntimeState : std::uint8_t { not_initialised = 1, finalised = 2, many_threads = 4 };
extern std::uint8_t runtime_state [[gnu::visibility("hidden")]];   // written while no other thread is in the runtime
inline bool shared_by_threads() noexcept { return (runtime_state & many_threads) != 0; }

namespace runtime_lock {
void acquire() noexcept;
void release() noexcept;
void yield() noexcept;                 // lets waiting threads go first, if there are any; needs the lock held

// Gives the lock up wholly, whatever its depth, and takes it again at the end of the scope. Nothing when not held.
class Released {
 public:
  Released() noexcept;
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  int depth_ = 0;
};
}  // namespace runtime_lock

}  // namespace weft::os
