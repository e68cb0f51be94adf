// What a rank tells the others of its verbs port: bytes in the job's card. All hosts of a job are little-endian.
#pragma once

#include <infiniband/verbs.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace weft::fabric::verbs {

enum class Network : std::uint8_t { infiniband, roce, iwarp };
enum class Transport : std::uint8_t { rc, uc, ud };

struct Card {
  std::uint32_t version = 1;
  Network network = Network::roce;
  Transport transport = Transport::rc;
  std::uint8_t mtu = IBV_MTU_1024;          // ibv_mtu
  std::uint8_t is_routed = 0;               // RoCE v2
  std::int32_t world_rank = 0;
  std::uint32_t datagram_queue = 0;         // number of the UD queue pair
  std::uint16_t lid = 0;
  std::uint16_t tcp_port = 0;               // iWARP: where the connection manager listens, in network order
  std::uint32_t ipv4 = 0;                   // and on which address, in network order
  ibv_gid gid{};
};

inline std::string to_text(const Card& card) { return {reinterpret_cast<const char*>(&card), sizeof card}; }
inline std::optional<Card> card_of(std::string_view text) noexcept {
  Card card;
  if (text.size() != sizeof card) return std::nullopt;
  std::memcpy(&card, text.data(), sizeof card);
  return card.version == Card{}.version ? std::optional(card) : std::nullopt;
}

}  // namespace weft::fabric::verbs
