// Errors as exceptions. A call whose communicator has the handler MPI_ERRORS_RETURN (weft::Environment sees to that for
// the world) and that fails throws weft::Error. With the handler MPI_ERRORS_ARE_FATAL the job ends inside the call.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

namespace weft {

// what() is "MPI_Send: <the library's text>".
class Error : public std::runtime_error {
 public:
  Error(int code, const char* call) : std::runtime_error(std::string(call) + ": " + text_of(code)), code_(code) {}

  // The code the call returned; its meaning beyond the class is the library's.
  [[nodiscard]] int code() const noexcept { return code_; }

  // One of MPI's error classes, such as MPI_ERR_TRUNCATE.
  [[nodiscard]] int error_class() const noexcept
  {
    int result = MPI_ERR_UNKNOWN;
    MPI_Error_class(code_, &result);
    return result;
  }

 private:
  static std::string text_of(int code)
  {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
    return std::string(text, static_cast<std::size_t>(length));
  }

  int code_;
};

// Throws unless `code` is MPI_SUCCESS; `call` names the function in the message.
inline void check(int code, const char* call)
{
  if (code != MPI_SUCCESS) [[unlikely]]
    throw Error(code, call);
}

}  // namespace weft
