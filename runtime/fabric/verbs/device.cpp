// Choosing among devices, ports and addresses.
#include "fabric/verbs/device.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace weft::fabric::verbs {
namespace {

struct Candidate {
  ibv_device* device = nullptr;
  std::uint8_t port = 0;
  int gid_index = 0;
  ibv_gid gid{};
  bool is_routed = false;
  Network network = Network::roce;
  ibv_port_attr attributes{};
  double score = -1;
};

// Lanes times signalling rate, as the device states them; bytes a ns.
double speed(const ibv_port_attr& port) noexcept {
  double lanes = 1;
  switch (port.active_width) {
    case 2: lanes = 4; break;
    case 4: lanes = 8; break;
    case 8: lanes = 12; break;
    case 16: lanes = 2; break;
    default: break;
  }
  double gbit = 2.5;
  switch (port.active_speed) {
    case 2: gbit = 5; break;
    case 4:
    case 8: gbit = 10; break;
    case 16: gbit = 14; break;
    case 32: gbit = 25; break;
    case 64: gbit = 50; break;
    case 128: gbit = 100; break;
    default: break;
  }
  return lanes * gbit / 8;
}

bool is_ipv4(const ibv_gid& gid) noexcept {
  return std::all_of(gid.raw, gid.raw + 10, [](std::uint8_t byte) { return byte == 0; }) && gid.raw[10] == 0xff && gid.raw[11] == 0xff;
}
bool is_link_local(const ibv_gid& gid) noexcept {
  return is_ipv4(gid) ? gid.raw[12] == 169 && gid.raw[13] == 254 : gid.raw[0] == 0xfe && (gid.raw[1] & 0xc0) == 0x80;
}

// Routed addresses of IPv4 first: they are the ones that administrators set up and that work between subnets.
double worth(const ibv_gid_entry& entry) noexcept {
  if (entry.gid_type == IBV_GID_TYPE_IB) return 1;
  return (entry.gid_type == IBV_GID_TYPE_ROCE_V2 ? 4.0 : 0.5) + (is_ipv4(entry.gid) ? 2 : 0) + (is_link_local(entry.gid) ? 0 : 1);
}

bool choose_gid(ibv_context* context, Candidate& candidate, int wanted) {
  double best = -1;
  for (int index = wanted < 0 ? 0 : wanted; index < candidate.attributes.gid_tbl_len && (wanted < 0 || index == wanted); ++index) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(context, candidate.port, static_cast<std::uint32_t>(index), &entry, 0) != 0 || worth(entry) <= best) continue;
    best = worth(entry);
    candidate.gid_index = index;
    candidate.gid = entry.gid;
    candidate.is_routed = entry.gid_type == IBV_GID_TYPE_ROCE_V2;
  }
  return best >= 0 || candidate.network == Network::iwarp;
}

Network network_of(const ibv_device* device, const ibv_port_attr& port) noexcept {
  if (device->transport_type == IBV_TRANSPORT_IWARP) return Network::iwarp;
  return port.link_layer == IBV_LINK_LAYER_ETHERNET ? Network::roce : Network::infiniband;
}

// The best active port of one device; `why` collects what was wrong with the others.
Candidate look_at(ibv_device* device, int wanted_port, int wanted_gid, std::string& why) {
  Candidate best;
  const Handle<ibv_context, ibv_close_device> context(ibv_open_device(device));
  const char* name = ibv_get_device_name(device);
  const auto note = [&](std::string text) { why += fmt::format("{}{}", why.empty() ? "" : "; ", text); };
  if (context == nullptr) {
    note(fmt::format("{} can't be opened: {}", name, std::strerror(errno)));
    return best;
  }
  ibv_device_attr limits{};
  if (ibv_query_device(context.get(), &limits) != 0) return best;
  for (std::uint8_t port = 1; port <= limits.phys_port_cnt; ++port) {
    if (wanted_port > 0 && port != wanted_port) continue;
    Candidate candidate;
    candidate.device = device;
    candidate.port = port;
    if (ibv_query_port(context.get(), port, &candidate.attributes) != 0) continue;
    candidate.network = network_of(device, candidate.attributes);
    if (candidate.attributes.state != IBV_PORT_ACTIVE) note(fmt::format("{}:{} is not active", name, port));
    else if (!choose_gid(context.get(), candidate, wanted_gid)) note(fmt::format("{}:{} has no such address (GID)", name, port));
    else candidate.score = (candidate.network == Network::iwarp ? 0 : 1000) + speed(candidate.attributes);
    if (candidate.score > best.score) best = candidate;
  }
  return best;
}

// After fork(), a child must not take pages from under the device. Kernels from 5.12 on copy such pages for the child;
// for older ones libibverbs keeps registered memory out of children.
void make_fork_safe() {
  if (ibv_is_fork_initialized() != IBV_FORK_UNNEEDED) (void)ibv_fork_init();
}

Expected<Device> take(const Candidate& chosen, ibv_mtu most_mtu) {
  Device device;
  device.owned_context.reset(ibv_open_device(chosen.device));
  device.context = device.owned_context.get();
  device.name = ibv_get_device_name(chosen.device);
  if (device.context == nullptr) return system_failure(fmt::format("open device {}", device.name), errno);
  if (const int error = ibv_query_device(device.context, &device.limits); error != 0) return system_failure(fmt::format("query device {}", device.name), error);
  device.port = chosen.port;
  device.gid_index = chosen.gid_index;
  device.gid = chosen.gid;
  device.is_routed = chosen.is_routed;
  device.network = chosen.network;
  device.lid = chosen.attributes.lid;
  device.mtu = std::min(chosen.attributes.active_mtu, most_mtu);
  device.max_transfer_bytes = chosen.attributes.max_msg_sz != 0 ? chosen.attributes.max_msg_sz : std::size_t{1} << 20;
  device.bytes_per_ns = speed(chosen.attributes);
  return device;
}

}  // namespace

Expected<Device> Device::open(const Settings& settings) {
  make_fork_safe();
  int count = 0;
  const Handle<ibv_device*, ibv_free_device_list> list(ibv_get_device_list(&count));
  if (list == nullptr || count == 0) return Failure{Status::unsupported, "no RDMA device on this host"};
  const std::size_t colon = settings.device.find(':');
  const std::string wanted = settings.device.substr(0, colon);
  int port = 0;
  if (colon != std::string::npos) (void)std::from_chars(settings.device.data() + colon + 1, settings.device.data() + settings.device.size(), port);
  Candidate best;
  std::string names;
  std::string why;
  bool named = wanted.empty();
  for (int i = 0; i < count; ++i) {
    const char* name = ibv_get_device_name(list.get()[i]);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    if (!wanted.empty() && wanted != name) continue;
    named = true;
    const Candidate candidate = look_at(list.get()[i], port, settings.gid_index, why);
    if (candidate.score > best.score) best = candidate;
  }
  if (!named) return Failure{Status::bad_argument, fmt::format("no RDMA device '{}'; this host has {}", wanted, names)};
  if (best.score < 0)
    return Failure{settings.device.empty() ? Status::unsupported : Status::bad_argument,
                   fmt::format("no usable port among the RDMA devices {}{}{}", names, why.empty() ? "" : ": ", why)};
  return take(best, settings.mtu);
}

}  // namespace weft::fabric::verbs
