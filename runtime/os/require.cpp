// The end of a process that broke one of its own invariants.
#include "os/require.hpp"

#include <cstdlib>

#include "os/log.hpp"

namespace weft::os {

void require_failed(const char* expression, const char* file, int line) noexcept {
  log_error("internal error: {} does not hold at {}:{}", expression, file, line);
  std::abort();
}

}  // namespace weft::os
