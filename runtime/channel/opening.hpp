// What both sides of a channel say when its endpoint opens (fabric::Opening): their ends of its two links. `way` 0 is the
// request (client to server), 1 the reply. That both have chosen the same links follows from their settings (cards.hpp).
#pragma once

#include <cstring>

#include "channel/link.hpp"

namespace weft::channel {

struct OpeningWords {
  LinkEnd ends[2] = {};
};
static_assert(sizeof(OpeningWords) <= sizeof(fabric::Opening));

inline fabric::Opening opening_of(const OpeningWords& words) noexcept {
  fabric::Opening bytes{};
  std::memcpy(bytes.data(), &words, sizeof words);
  return bytes;
}
inline OpeningWords words_of(const fabric::Opening& bytes) noexcept {
  OpeningWords words;
  std::memcpy(&words, bytes.data(), sizeof words);
  return words;
}

// The other end of the link that goes this way; asked for once the endpoint is open.
inline LinkEnd peer_end(const fabric::Endpoint& endpoint, int way) noexcept { return words_of(endpoint.peer_opening()).ends[way]; }

}  // namespace weft::channel
