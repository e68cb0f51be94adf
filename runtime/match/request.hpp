// Request: anything that was started and will be done. What an MPI_Request points to, and what collectives wait for.
// Owned by whoever started it until release(); `detach` hands it to the engine, which releases it when it is done.
// Threads: one at a time. Invariant: once `done`, the engine does not touch it again (until a persistent one is started).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "os/status.hpp"

namespace weft::match {

inline constexpr int any_source = -1;          // as in mpi.h (api/ checks that it agrees)
inline constexpr int any_tag = -2;
inline constexpr int nobody = -3;              // the source of a receive from MPI_PROC_NULL

class Receive;

// How a request's status is made.
enum class Form : std::uint8_t {
  sent,                           // it says nothing
  made,                           // make_status() says it (generalized requests)
  received,                       // source, tag and bytes
  receive,                        // the same, and the object is a Receive
};

// What the wait calls ask of every request, in one word, so that the common end is one comparison.
struct alignas(8) Life {
  std::uint32_t magic = 0;        // set while the handle is good
  bool done = false;
  Status status = Status::ok;
  bool persistent = false;
  Form form = Form::sent;

  bool operator==(const Life& other) const noexcept { return std::bit_cast<std::uint64_t>(*this) == std::bit_cast<std::uint64_t>(other); }
};

class Request : public Life {
 public:
  static constexpr std::uint32_t magic_value = 0x57665271;

  bool active = true;             // false: a persistent request that is not started
  bool detached = false;
  bool cancelled = false;
  bool matched = false;           // a receive that has its message, perhaps not yet all of it
  int source = any_source;               // rank in the communicator
  int tag = any_tag;
  std::size_t bytes = 0;          // that arrived; when truncated, that were sent
  std::size_t limit_bytes = 0;    // room there was
  const void* owner = nullptr;    // the communicator that errors are raised on; the floors above know its type

  virtual Status start() { return Status::bad_argument; }   // persistent requests only
  virtual void cancel() {}
  // Of Form::made: fills the MPI_Status and answers an error code of MPI.
  virtual int make_status(void*) { return 0; }
  virtual void release() = 0;                               // gives the object back; `this` is gone

  // Nobody will ask any more: the object is released now, or when it is done.
  virtual void detach() {
    if (done || !active) release();
    else detached = true;
  }

 protected:
  ~Request() = default;           // pooled: never deleted through the base
  void finish(Status outcome) {
    status = outcome;
    done = true;
    if (__builtin_expect(detached, 0)) release();
  }
};

// Requests that were done before anyone asked: a send that went out whole, a receive from nobody. Shared, never freed.
namespace detail {
class CompletedSend final : public Request {
 public:
  CompletedSend() { done = true; magic = magic_value; }
  void release() override {}
};
extern CompletedSend the_completed_send [[gnu::visibility("hidden")]];
}  // namespace detail
inline Request* completed_send() noexcept { return &detail::the_completed_send; }
Request* completed_receive() noexcept;   // from nobody

}  // namespace weft::match
