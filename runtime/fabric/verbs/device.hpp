// The device, its port and its address that a verbs port stands on, chosen once: by the options, else the best that is active.
#pragma once

#include <infiniband/verbs.h>

#include <string>

#include "fabric/verbs/card.hpp"
#include "fabric/verbs/handle.hpp"
#include "fabric/verbs/settings.hpp"
#include "os/expected.hpp"

namespace weft::fabric::verbs {

struct Device {
  Handle<ibv_context, ibv_close_device> owned_context;   // null where the connection manager owns it (iWARP)
  ibv_context* context = nullptr;
  Handle<ibv_pd, ibv_dealloc_pd> domain;                 // protection domain
  std::string name;
  std::uint8_t port = 1;
  int gid_index = 0;
  ibv_gid gid{};
  bool is_routed = false;            // RoCE v2
  Network network = Network::roce;
  std::uint16_t lid = 0;
  ibv_mtu mtu = IBV_MTU_1024;
  std::size_t max_transfer_bytes = 0;
  double bytes_per_ns = 1;
  ibv_device_attr limits{};

  // Status::unsupported where there is none; bad_argument where the one that was asked for is not among those there are.
  static Expected<Device> open(const Settings& settings);

  bool has_atomics() const noexcept { return limits.atomic_cap != IBV_ATOMIC_NONE; }
};

}  // namespace weft::fabric::verbs
