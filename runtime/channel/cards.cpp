// Cards: for the settings and each port with something to tell, a name, a zero byte, four bytes of length, and the text.
#include "channel/cards.hpp"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace weft::channel {
namespace {

constexpr const char* settings_name = "settings";

void append(std::string& card, const char* name, std::string_view part) {
  const auto length = static_cast<std::uint32_t>(part.size());
  card.append(name).push_back('\0');
  card.append(reinterpret_cast<const char*>(&length), sizeof length).append(part);
}

}  // namespace

std::string compose_card(std::string_view settings, std::span<fabric::Port* const> ports) {
  std::string card;
  append(card, settings_name, settings);
  for (const fabric::Port* port : ports)
    if (const std::string part = port->card(); !part.empty()) append(card, port->name(), part);
  return card;
}

Done agree(std::string_view settings, std::string_view peer_card, int peer) {
  const std::string_view theirs = port_card(peer_card, settings_name);
  if (theirs == settings) return Nothing{};
  return Failure{Status::bad_argument, fmt::format("rank {} was started with other settings than this one, and both must choose alike: {} there, {} here",
                                                   peer, theirs, settings)};
}

std::string_view port_card(std::string_view card, std::string_view fabric) noexcept {
  while (!card.empty()) {
    const std::size_t zero = card.find('\0');
    std::uint32_t length = 0;
    if (zero == std::string_view::npos || card.size() - zero - 1 < sizeof length) return {};
    std::memcpy(&length, card.data() + zero + 1, sizeof length);
    const std::string_view name = card.substr(0, zero);
    card.remove_prefix(zero + 1 + sizeof length);
    if (length > card.size()) return {};
    if (name == fabric) return card.substr(0, length);
    card.remove_prefix(length);
  }
  return {};
}

}  // namespace weft::channel
