// Status of a received message, and the handle of a non-blocking call.
#pragma once

#include "buffer.hpp"
#include "error.hpp"

#include <exception>
#include <optional>
#include <span>
#include <utility>

namespace weft {

inline constexpr int any_source = MPI_ANY_SOURCE;
inline constexpr int any_tag = MPI_ANY_TAG;
inline constexpr int no_process = MPI_PROC_NULL;

// Where a message came from and how long it was.
class Status {
 public:
  Status() = default;
  explicit Status(const MPI_Status& raw) : raw_(raw) {}

  [[nodiscard]] int source() const noexcept { return raw_.MPI_SOURCE; }
  [[nodiscard]] int tag() const noexcept { return raw_.MPI_TAG; }

  // Whole values of type T in the message. Throws std::invalid_argument when the length is no multiple of T's.
  template <Transferable T>
  [[nodiscard]] std::size_t count() const
  {
    MPI_Count elements = 0;
    check(MPI_Get_count_c(&raw_, datatype<T>(), &elements), "MPI_Get_count");
    const auto each = static_cast<MPI_Count>(elements_per_value<T>());
    if (elements == MPI_UNDEFINED || elements % each != 0) throw std::invalid_argument("Status::count: the message is no whole number of such values");
    return static_cast<std::size_t>(elements / each);
  }

  [[nodiscard]] const MPI_Status& raw() const noexcept { return raw_; }

 private:
  MPI_Status raw_{};
};

// A non-blocking call under way. The buffers given to the call belong to it until wait() or a test() that says so; the
// destructor waits, except when an exception unwinds the stack: then it cancels and lets go, since the peer may be gone.
class Request {
 public:
  Request() = default;
  explicit Request(MPI_Request handle) : handle_(handle) {}
  Request(Request&& other) noexcept : handle_(std::exchange(other.handle_, MPI_REQUEST_NULL)) {}
  Request& operator=(Request&& other) noexcept
  {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Request()
  {
    if (handle_ == MPI_REQUEST_NULL) return;
    if (std::uncaught_exceptions() == 0) {
      MPI_Wait(&handle_, MPI_STATUS_IGNORE);
    } else {
      MPI_Cancel(&handle_);
      MPI_Request_free(&handle_);
    }
  }

  // Blocks until the call is complete. Throws what the call failed with.
  Status wait()
  {
    MPI_Status status;
    check(MPI_Wait(&handle_, &status), "MPI_Wait");
    return Status(status);
  }

  // The status when the call is complete, nothing when it is not yet.
  std::optional<Status> test()
  {
    MPI_Status status;
    int done = 0;
    check(MPI_Test(&handle_, &done, &status), "MPI_Test");
    if (!done) return std::nullopt;
    return Status(status);
  }

  [[nodiscard]] bool active() const noexcept { return handle_ != MPI_REQUEST_NULL; }
  [[nodiscard]] MPI_Request& handle() noexcept { return handle_; }

 private:
  MPI_Request handle_ = MPI_REQUEST_NULL;
};

static_assert(sizeof(Request) == sizeof(MPI_Request), "a row of Requests is a row of MPI_Request");

// Waits for all, in whatever order they complete. Throws the first failure after all have ended.
inline void wait_all(std::span<Request> requests)
{
  std::exception_ptr failure;
  for (Request& request : requests) {
    try {
      request.wait();
    } catch (const Error&) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace weft
