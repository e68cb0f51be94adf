// Cards: for each port with something to tell, its name, a zero byte, four bytes of length, and its card.
#include "channel/cards.hpp"

#include <cstdint>
#include <cstring>

namespace weft::channel {

std::string compose_card(std::span<fabric::Port* const> ports) {
  std::string card;
  for (const fabric::Port* port : ports) {
    const std::string part = port->card();
    if (part.empty()) continue;
    const auto length = static_cast<std::uint32_t>(part.size());
    card.append(port->name()).push_back('\0');
    card.append(reinterpret_cast<const char*>(&length), sizeof length).append(part);
  }
  return card;
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
