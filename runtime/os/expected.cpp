// The note of a failed system call.
#include "os/expected.hpp"

#include <cstring>

namespace weft {

Failure system_failure(std::string what, int error) {
  what += ": ";
  what += ::strerror(error);
  return Failure{status_of_errno(error), std::move(what)};
}

}  // namespace weft
