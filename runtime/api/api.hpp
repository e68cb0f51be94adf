// What every file of api/ stands on: how a function of mpi.h is defined, how it enters the runtime, how it raises errors.
//
//   WEFT_API(int, Comm_rank)(MPI_Comm comm, int* rank) {
//     const api::Guard guard("MPI_Comm_rank");
//     const auto* c = api::communicator(comm);
//     if (c == nullptr) [[unlikely]] return api::bad_communicator("MPI_Comm_rank", comm);
//     if (rank == nullptr) [[unlikely]] return api::raise(c, MPI_ERR_ARG, "MPI_Comm_rank", "rank", rank, "not null");
//     ...
//   }
//
// Guard costs one predictable branch while the runtime is up and the program is single-threaded. Errors are raised on the
// object the call names, or on the program as a whole (null): text says rank, host, call, argument, value and limit, once.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstdint>
#include <string_view>

#include "comm/communicator.hpp"
#include "os/runtime_lock.hpp"
#include "os/status.hpp"

// Defines PMPI_name, with MPI_name as its weak alias for tools to replace. Prototypes are those of mpi.h.
#define WEFT_PUBLIC __attribute__((visibility("default")))
#ifdef __clang__
#define WEFT_NOTHROW
#else
#define WEFT_NOTHROW nothrow,          // g++ wants the alias to promise what it inferred for the target; clang++ does not
#endif
#define WEFT_API(result, name)                                                                                              \
  extern "C" WEFT_PUBLIC __attribute__((weak, WEFT_NOTHROW alias("PMPI_" #name))) decltype(MPI_##name) MPI_##name;    \
  extern "C" WEFT_PUBLIC result PMPI_##name

namespace weft::api {

// Entering the runtime. The slow path takes the lock under MPI_THREAD_MULTIPLE, and ends the job with a message when the
// call is made before initialisation or after finalisation.
class Guard {
 public:
  explicit Guard(const char* call) noexcept {
    if (os::runtime_state != 0) [[unlikely]] enter(call);
  }
  ~Guard() {
    if (os::runtime_state != 0) [[unlikely]] os::runtime_lock::release();   // the state can't change between the two
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  [[gnu::cold]] static void enter(const char* call) noexcept;
};

// For the calls that are allowed at any time (info, error handlers, versions): always takes the lock.
class AnyTimeGuard {
 public:
  AnyTimeGuard() noexcept { os::runtime_lock::acquire(); }
  ~AnyTimeGuard() { os::runtime_lock::release(); }
  AnyTimeGuard(const AnyTimeGuard&) = delete;
  AnyTimeGuard& operator=(const AnyTimeGuard&) = delete;
};

// An argument's value in an error text: a number, a handle or address, or words.
class Value {
 public:
  template <std::integral T>
  Value(T number) : number_(static_cast<std::int64_t>(number)), kind_(Kind::number) {}      // NOLINT: implicit on purpose
  Value(const char* words) : words_(words), kind_(Kind::words) {}                           // NOLINT
  Value(const void* address) : address_(address), kind_(Kind::address) {}                   // NOLINT
  Value(std::nullptr_t) : address_(nullptr), kind_(Kind::address) {}                        // NOLINT

 private:
  friend std::string text_of(const Value& value);
  enum class Kind : std::uint8_t { number, words, address };
  union {
    std::int64_t number_;
    const char* words_;
    const void* address_;
  };
  Kind kind_;
};

// Each returns the code the call must return. `limit` says in words what is allowed ("0 .. 2147483647", "not null").
[[gnu::cold]] int raise(const comm::Communicator* on, int error_class, const char* call, const char* argument,
                        const Value& value, std::string_view limit);
[[gnu::cold]] int raise_at(const comm::ErrorSite& site, int error_class, const char* call, const char* argument,
                           const Value& value, std::string_view limit);
// An error that no argument caused: a transfer failed, memory ran out. `detail` says what, in words.
[[gnu::cold]] int raise_status(const comm::Communicator* on, Status status, const char* call, std::string_view detail = {});
[[gnu::cold]] int raise_text(const comm::Communicator* on, int code, const char* call, std::string_view detail);

// Where errors on this communicator (null: on no object in particular) are raised.
comm::ErrorSite site_of(const comm::Communicator* on);

// Handles that name no object of the wanted kind: null, freed, or another kind's.
[[gnu::cold]] int bad_communicator(const char* call, MPI_Comm handle);
[[gnu::cold]] int bad_group(const char* call, MPI_Group handle, const comm::Communicator* on = nullptr);
[[gnu::cold]] int bad_datatype(const char* call, MPI_Datatype handle, const comm::Communicator* on = nullptr);
[[gnu::cold]] int bad_operation(const char* call, MPI_Op handle, const comm::Communicator* on = nullptr);
[[gnu::cold]] int bad_request(const char* call, MPI_Request handle);
[[gnu::cold]] int bad_info(const char* call, MPI_Info handle, const comm::Communicator* on = nullptr);
[[gnu::cold]] int bad_error_handler(const char* call, MPI_Errhandler handle, const comm::Communicator* on = nullptr);
[[gnu::cold]] int null_argument(const comm::Communicator* on, const char* call, const char* argument);
[[gnu::cold]] int bad_count(const comm::Communicator* on, const char* call, std::int64_t count);
[[gnu::cold]] int bad_tag(const comm::Communicator* on, const char* call, int tag);
[[gnu::cold]] int bad_rank(const comm::Communicator* on, const char* call, const char* argument, int rank);   // limit: the size
[[gnu::cold]] int bad_root(const comm::Communicator* on, const char* call, int root);

}  // namespace weft::api
