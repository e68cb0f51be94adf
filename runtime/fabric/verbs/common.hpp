// What the parts and endpoints of one verbs port share. Made by the port, in this order; goes in the opposite one.
#pragma once

#include <optional>
#include <string>

#include "fabric/verbs/bell.hpp"
#include "fabric/verbs/buffers.hpp"
#include "fabric/verbs/completion.hpp"
#include "fabric/verbs/memory.hpp"

namespace weft::fabric::verbs {

// What a receive's completion belongs to: the low bits of its id. Those of sends are pointers, and have none.
inline constexpr std::uint64_t connected_mark = 1;
inline constexpr std::uint64_t datagram_mark = 2;

struct Common {
  int world_rank = 0;
  int world_size = 1;
  std::uint64_t job = 0;               // a hash of its name: strangers on the network are not listened to
  Settings settings;
  Device device;
  std::optional<Memory> memory;
  Bell bell;
  Completions completions;
  Card card;
};

}  // namespace weft::fabric::verbs
