// The fabrics this build has, in the order in which they are preferred: one line each in fabrics.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/port.hpp"
#include "fabric/ring.hpp"

namespace weft::fabric {

// What a port may want to know when it opens.
struct Circumstances {
  int world_rank = 0;
  int world_size = 1;
  std::vector<int> local_peers{0};    // world ranks of this node, ascending, self included
  std::string host;                   // of this node, for messages
  std::string job;                    // its name, the same on all ranks and on no other job of this machine
  RingShape shape{256, 32768};
};

struct Fabric {
  const char* name;
  bool within_node;                   // reaches the ranks of one node only
  // Opens a port, or says in the note why this machine has none (Status::unsupported: the next fabric may do).
  Expected<std::unique_ptr<Port>> (*open)(const Circumstances& circumstances);
};

std::span<const Fabric> fabrics() noexcept;

}  // namespace weft::fabric
