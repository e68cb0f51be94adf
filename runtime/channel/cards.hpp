// A rank's card: the cards of all its ports in one, so that one answer of the launcher tells all there is and the absence of a
// port is an answer too. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fabric/port.hpp"

namespace weft::channel {

std::string compose_card(std::span<fabric::Port* const> ports);
// The part of one fabric; empty when the rank has no such port.
std::string_view port_card(std::string_view card, std::string_view fabric) noexcept;

}  // namespace weft::channel
