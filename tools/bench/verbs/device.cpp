// Finding and opening a device; see device.hpp.
#include "bench/verbs/device.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace weft::bench::verbs {
namespace {

constexpr std::size_t page_bytes = 4096;

using DeviceList = std::unique_ptr<ibv_device*, Calls<ibv_free_device_list>>;

std::string names_of(ibv_device* const* devices, int count) {
  std::string names;
  for (int i = 0; i < count; ++i) names += fmt::format("{}{}", i == 0 ? "" : ", ", ibv_get_device_name(devices[i]));
  return names;
}

bool is_ipv4(const ibv_gid& gid) {
  constexpr std::array<std::uint8_t, 12> prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(gid.raw, prefix.data(), prefix.size()) == 0;
}

}  // namespace

void fail(const std::string& what, int error) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(error > 0 ? error : errno)));
}

Device::Device(const DeviceChoice& choice) {
  int count = 0;
  const DeviceList devices(ibv_get_device_list(&count));
  if (!devices || count == 0)
    throw Unavailable("no RDMA device on this host; where the kernel has soft-RoCE one is made by: rdma link add rxe0 type rxe netdev eth0");
  bool named = false;
  for (int i = 0; i < count; ++i) {
    name_ = ibv_get_device_name(devices.get()[i]);
    if (!choice.name.empty() && choice.name != name_) continue;
    named = true;
    context_.reset(ibv_open_device(devices.get()[i]));
    if (!context_) throw Unavailable(fmt::format("RDMA device {}: open: {}", name_, std::strerror(errno)));
    if (find_port(choice.port)) break;
    context_.reset();
  }
  const std::string known = names_of(devices.get(), count);
  if (!named) throw Unavailable(fmt::format("no RDMA device {}; there is {}", choice.name, known));
  if (!context_) throw Unavailable(fmt::format("no active port on the RDMA devices of this host ({})", known));
  if (context_->device->transport_type == IBV_TRANSPORT_IWARP)
    throw Unavailable(fmt::format("RDMA device {} is iWARP, which connects by rdma_cm only; the raw measurements need InfiniBand or RoCE", name_));
  if (const int error = ibv_query_device(context_.get(), &limits_); error != 0) fail("ibv_query_device " + name_, error);
  find_gid(choice.gid_index);
  domain_.reset(ibv_alloc_pd(context_.get()));
  if (!domain_) fail("ibv_alloc_pd " + name_, errno);
}

bool Device::find_port(int wanted) {
  ibv_device_attr limits{};
  if (ibv_query_device(context_.get(), &limits) != 0) return false;
  for (int port = 1; port <= limits.phys_port_cnt; ++port) {
    if (wanted != 0 && wanted != port) continue;
    port_ = static_cast<std::uint8_t>(port);
    if (ibv_query_port(context_.get(), port_, &port_state_) == 0 && port_state_.state == IBV_PORT_ACTIVE) return true;
  }
  return false;
}

void Device::find_gid(int wanted) {
  constexpr int most_gids = 256;
  std::vector<ibv_gid_entry> entries(most_gids);
  const auto count = ibv_query_gid_table(context_.get(), entries.data(), entries.size(), 0);
  int best_rank = -1;
  for (ssize_t i = 0; i < count; ++i) {
    const ibv_gid_entry& entry = entries[static_cast<std::size_t>(i)];
    if (entry.port_num != port_ || (wanted >= 0 && entry.gid_index != static_cast<std::uint32_t>(wanted))) continue;
    const bool routed = entry.gid_type == IBV_GID_TYPE_ROCE_V2;
    const int rank = (routed ? 2 : 0) + (is_ipv4(entry.gid) ? 1 : 0);
    if (rank <= best_rank) continue;
    best_rank = rank;
    gid_ = entry.gid;
    gid_index_ = static_cast<std::uint8_t>(entry.gid_index);
  }
  if (best_rank < 0 && (by_gid() || wanted >= 0))
    throw Unavailable(fmt::format("RDMA device {} port {}: no GID{}; has its interface an address?", name_, port_,
                                  wanted >= 0 ? fmt::format(" of index {}", wanted) : ""));
}

std::string Device::describe() const {
  return fmt::format("{} port {}, {}, MTU {}", name_, port_, by_gid() ? fmt::format("RoCE, GID index {}", gid_index_) : "InfiniBand",
                     128 << port_state_.active_mtu);
}

Region::Region(const Device& device, std::size_t bytes)
    : bytes_((bytes + page_bytes - 1) / page_bytes * page_bytes), memory_(static_cast<std::byte*>(std::aligned_alloc(page_bytes, bytes_))) {
  if (!memory_) fail(fmt::format("allocating {} bytes", bytes_), ENOMEM);
  std::memset(memory_.get(), 0, bytes_);
  constexpr int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  const int atomic = device.limits().atomic_cap == IBV_ATOMIC_NONE ? 0 : IBV_ACCESS_REMOTE_ATOMIC;
  registration_.reset(ibv_reg_mr(device.domain(), memory_.get(), bytes_, access | atomic));
  if (!registration_) fail(fmt::format("ibv_reg_mr of {} bytes (ulimit -l?)", bytes_), errno);
}

}  // namespace weft::bench::verbs
