// Closing descriptors.
#include "os/fd.hpp"

#include <unistd.h>

namespace weft::os {

void Fd::reset() noexcept {
  if (number_ >= 0) (void)::close(std::exchange(number_, -1));
}

}  // namespace weft::os
