// PMIx talks over the loopback interface. In a fresh network namespace it is down: bring it up where that is allowed.
#pragma once

#include "os/expected.hpp"

namespace weft::launcher {

Done require_loopback();

}  // namespace weft::launcher
