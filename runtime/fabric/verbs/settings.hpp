// The options of the verbs fabric, read and checked when a port opens. Any thread.
#pragma once

#include <infiniband/verbs.h>

#include <string>

#include "fabric/verbs/card.hpp"
#include "os/expected.hpp"

namespace weft::fabric::verbs {

inline constexpr std::uint32_t message_head_bytes = 64;   // of whoever sends, beside the payload

struct Settings {
  std::string device;             // "" or name[:port]
  int gid_index = -1;             // -1: chosen
  Transport transport = Transport::rc;
  ibv_mtu mtu = IBV_MTU_4096;     // at most
  std::uint8_t timeout = 14;      // 4.096 us times 2 to this power
  std::uint8_t retries = 6;
  std::uint8_t receiver_retries = 7;
  std::uint8_t receiver_timer = 12;
  std::uint32_t depth = 31;       // send requests of a queue pair
  std::uint32_t inline_bytes = 128;
  std::uint32_t receives = 512;   // posted, for all peers together
  std::uint32_t message_bytes = 8192 + message_head_bytes;   // room of a posted receive
  std::int64_t silence_ns = INT64_MAX;   // of a peer over UD, until it is lost
  std::size_t cache_bytes = 0;    // of the program's memory that stay registered between transfers
  std::uint32_t cache_entries = 0;

  static Expected<Settings> read();
};

}  // namespace weft::fabric::verbs
