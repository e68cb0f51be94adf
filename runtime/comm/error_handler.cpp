// The predefined handlers, and what each mode does with an error.
#include "comm/error_handler.hpp"

#include <mpi.h>

#include <cstdio>
#include <string>

#include "boot/job.hpp"
#include "comm/error_class.hpp"

namespace weft::comm {
namespace {

constexpr bool predefined(const ErrorHandler& handler) { return handler.mode != HandlerMode::user; }

}  // namespace

ErrorHandler& errors_are_fatal() noexcept {
  static ErrorHandler handler{.mode = HandlerMode::fatal};
  return handler;
}

ErrorHandler& errors_abort() noexcept {
  static ErrorHandler handler{.mode = HandlerMode::abort};
  return handler;
}

ErrorHandler& errors_return() noexcept {
  static ErrorHandler handler{.mode = HandlerMode::return_code};
  return handler;
}

ErrorHandler* create_error_handler(ObjectKind kind, HandlerFunction function) {
  ErrorHandler* handler = Pool<ErrorHandler>::make();
  handler->kind = kind;
  handler->mode = HandlerMode::user;
  handler->function = function;
  return handler;
}

void retain(ErrorHandler& handler) noexcept {
  if (!predefined(handler)) ++handler.references;
}

void release(ErrorHandler& handler) noexcept {
  if (!predefined(handler) && --handler.references == 0) Pool<ErrorHandler>::release(&handler);
}

ErrorHandler& give_handle(ErrorHandler& handler) noexcept {
  if (predefined(handler)) return handler;
  ++handler.references;
  ++handler.handles;
  handler.magic = ErrorHandler::magic_value;
  return handler;
}

void take_handle(ErrorHandler& handler) noexcept {
  if (predefined(handler)) return;
  if (--handler.handles == 0) handler.magic = 0;
  release(handler);
}

int raise_at(const ErrorSite& site, int code, std::string_view text) {
  switch (site.handler->mode) {
    case HandlerMode::return_code: return code;
    case HandlerMode::user: {
      ErrorHandler& handler = *site.handler;
      retain(handler);                     // the function may put another one in its place
      void* handle = site.handle;
      int told = code;
      handler.function(&handle, &told);
      release(handler);
      return code;
    }
    case HandlerMode::fatal:
    case HandlerMode::abort: break;
  }
  std::string message(text);
  const int error_class = error_class_of_code(code);
  if (const char* words = error_words(code); words != nullptr && *words != '\0') message.append(": ").append(words);
  if (const char* name = error_class_name(error_class); *name != '\0') message.append(" (").append(name).append(")");
  if (site.name != nullptr && *site.name != '\0') message.append(", on ").append(site.kind_name).append(" ").append(site.name);
  end_job(code, message);
}

void end_job(int exit_code, std::string_view message) {
  if (::ftrylockfile(stdout) == 0) {       // another thread may be stuck in there: then it can't be helped
    (void)std::fflush(stdout);
    ::funlockfile(stdout);
  }
  boot::abort(exit_code, message);
}

}  // namespace weft::comm
