// The life of MPI in a program: weft::Environment as the first object in main.
#pragma once

#include "error.hpp"

#include <cstdio>
#include <exception>

namespace weft {

enum class Threads : int { single = MPI_THREAD_SINGLE, funneled = MPI_THREAD_FUNNELED, serialized = MPI_THREAD_SERIALIZED, multiple = MPI_THREAD_MULTIPLE };
enum class Errors { exceptions, end_the_job };

// Starts MPI, and ends it when it goes out of scope. Left by an exception it ends the whole job with exit code 1 instead:
// the other ranks may be waiting for this one, and Finalize would then wait for them for ever.
class Environment {
 public:
  // Throws std::runtime_error when the library can give fewer threads than asked for.
  explicit Environment(Threads wanted = Threads::single, Errors errors = Errors::exceptions) : Environment(nullptr, nullptr, wanted, errors) {}

  Environment(int& argc, char**& argv, Threads wanted = Threads::single, Errors errors = Errors::exceptions)
      : Environment(&argc, &argv, wanted, errors) {}

  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  ~Environment()
  {
    if (std::uncaught_exceptions() > unwinding_at_start_) {
      std::fflush(nullptr);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
  }

  [[nodiscard]] Threads threads() const noexcept { return threads_; }

 private:
  Environment(int* argc, char*** argv, Threads wanted, Errors errors)
  {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(argc, argv, static_cast<int>(wanted), &provided), "MPI_Init_thread");
    threads_ = static_cast<Threads>(provided);
    if (errors == Errors::exceptions) {
      check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
      check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    }
    if (provided < static_cast<int>(wanted)) {
      MPI_Finalize();
      throw std::runtime_error("weft::Environment: thread level " + std::to_string(static_cast<int>(wanted)) + " asked for, " +
                               std::to_string(provided) + " provided");
    }
  }

  Threads threads_ = Threads::single;
  int unwinding_at_start_ = std::uncaught_exceptions();
};

// Ends every rank of the job with this exit code.
[[noreturn]] inline void abort(int exit_code)
{
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::terminate();
}

}  // namespace weft
