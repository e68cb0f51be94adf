// A rank's card: the settings that its choices rest on and the cards of all its ports, in one, so that one answer of the
// launcher tells all there is and the absence of a port is an answer too. Two ranks choose alike only if their settings are
// the same: who reads a card compares them. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fabric/port.hpp"

namespace weft::channel {

std::string compose_card(std::string_view settings, std::span<fabric::Port* const> ports);
// The part of one fabric; empty when the rank has no such port.
std::string_view port_card(std::string_view card, std::string_view fabric) noexcept;
// A failure that names both ranks' settings where they differ.
Done agree(std::string_view settings, std::string_view peer_card, int peer);

}  // namespace weft::channel
