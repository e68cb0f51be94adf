// Error handlers, and the one place where an error of an MPI call meets the program: fatal ones print one message and
// end the job, the others reach the program's handler or its return code. Called by api, under the runtime lock.
#pragma once

#include <cstdint>
#include <string_view>

#include "comm/object.hpp"

namespace weft::comm {

enum class HandlerMode : std::uint8_t { fatal, abort, return_code, user };
using HandlerFunction = void (*)(void** handle, int* error_code, ...);   // the four kinds differ in the handle's type only

struct ErrorHandler {
  static constexpr std::uint32_t magic_value = 0x57655268;
  std::uint32_t magic = magic_value;
  ObjectKind kind = ObjectKind::communicator;
  HandlerMode mode = HandlerMode::fatal;
  HandlerFunction function = nullptr;
  int references = 1;              // each object that uses it, and each handle of the program; predefined ones don't count
  int handles = 1;                 // of the program; without any, its handle reads as freed
};

ErrorHandler& errors_are_fatal() noexcept;
ErrorHandler& errors_abort() noexcept;
ErrorHandler& errors_return() noexcept;

ErrorHandler* create_error_handler(ObjectKind kind, HandlerFunction function);
void retain(ErrorHandler& handler) noexcept;
void release(ErrorHandler& handler) noexcept;
ErrorHandler& give_handle(ErrorHandler& handler) noexcept;    // the program gets one more handle
void take_handle(ErrorHandler& handler) noexcept;             // and gives one back

// Where an error is raised: the object the call was made on. `handle` is what the program calls it by.
struct ErrorSite {
  ErrorHandler* handler;
  void* handle;
  const char* kind_name;           // "communicator"
  const char* name;                // of the object; may be ""
};

// Runs the site's handler for an error of this code (an MPI class or a code made from one) and returns the code the call
// returns. `text` says call, argument, value and limit; it is printed only if the error ends the job.
int raise_at(const ErrorSite& site, int code, std::string_view text);

// Ends the job with this exit code; the message is told once. What the program has written to stdout is not lost.
[[noreturn]] void end_job(int exit_code, std::string_view message);

}  // namespace weft::comm
