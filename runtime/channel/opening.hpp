// What both sides of a channel say when its endpoint opens (fabric::Opening): the paradigm they have chosen, which must be the
// same, and their ends of its two links. `way` 0 is the request (client to server), 1 the reply.
#pragma once

#include <cstring>

#include "channel/link.hpp"
#include "channel/paradigm.hpp"

namespace weft::channel {

struct OpeningWords {
  static constexpr std::uint32_t version_value = 0x77660001;
  std::uint32_t version = version_value;
  LinkType types[2] = {};
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
