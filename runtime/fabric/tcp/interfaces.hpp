// Which of this machine's addresses peers are told: all that are up, less what the option tcp-interfaces says. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "os/address.hpp"

namespace weft::fabric::tcp {

// `list`: names, shell patterns and subnets, separated by commas; `^` or `!` before one excludes it. With nothing but
// exclusions everything else stays. What matches nothing is a failure that names what there is; a pattern may match nothing.
Expected<std::vector<os::InterfaceAddress>> chosen_addresses(const std::vector<os::InterfaceAddress>& present, std::string_view list);

}  // namespace weft::fabric::tcp
