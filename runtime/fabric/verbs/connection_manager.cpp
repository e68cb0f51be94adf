// Listening, knocking, connecting, accepting.
#include "fabric/verbs/connection_manager.hpp"

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace weft::fabric::verbs {
namespace {

constexpr int resolve_limit_ms = 5'000;
constexpr int backlog = 1024;
constexpr int most_reads = 16;

// Binds to the address if it is one of the device's.
bool bind_to(rdma_cm_id* id, const ifaddrs& interface, const Device& device) {
  if (interface.ifa_addr == nullptr || interface.ifa_addr->sa_family != AF_INET) return false;
  sockaddr_in address = *reinterpret_cast<const sockaddr_in*>(interface.ifa_addr);
  address.sin_port = 0;
  return rdma_bind_addr(id, reinterpret_cast<sockaddr*>(&address)) == 0 && id->verbs != nullptr && device.name == ibv_get_device_name(id->verbs->device);
}

}  // namespace

Done ConnectionManager::open(Common& common) {
  common_ = &common;
  channel_.reset(rdma_create_event_channel());
  if (channel_ == nullptr) return system_failure("the connection manager (rdma_cm)", errno);
  (void)::fcntl(channel_->fd, F_SETFL, ::fcntl(channel_->fd, F_GETFL) | O_NONBLOCK);
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return system_failure("addresses of this host", errno);
  const Handle<ifaddrs, ::freeifaddrs> interfaces(list);
  for (const bool loopback : {false, true})
    for (const ifaddrs* interface = list; interface != nullptr && listener_ == nullptr; interface = interface->ifa_next) {
      if (((interface->ifa_flags & IFF_LOOPBACK) != 0) != loopback) continue;
      rdma_cm_id* id = nullptr;
      if (rdma_create_id(channel_.get(), &id, this, RDMA_PS_TCP) != 0) return system_failure("rdma_create_id", errno);
      Id candidate(id);
      if (bind_to(id, *interface, common.device)) listener_ = std::move(candidate);
    }
  if (listener_ == nullptr) return Failure{Status::unsupported, fmt::format("no IPv4 address leads to {}", common.device.name)};
  if (rdma_listen(listener_.get(), backlog) != 0) return system_failure(fmt::format("listening on {}", common.device.name), errno);
  common.device.context = listener_->verbs;
  common.device.owned_context.reset();
  common.card.tcp_port = rdma_get_src_port(listener_.get());
  common.card.ipv4 = reinterpret_cast<const sockaddr_in*>(rdma_get_local_addr(listener_.get()))->sin_addr.s_addr;
  return Nothing{};
}

rdma_conn_param ConnectionManager::parameters(const Introduction& ours) const noexcept {
  rdma_conn_param parameters{};
  parameters.private_data = &ours;
  parameters.private_data_len = sizeof ours;
  static_assert(sizeof(Introduction) <= 196);
  parameters.responder_resources = static_cast<std::uint8_t>(std::min(common_->device.limits.max_qp_rd_atom, most_reads));
  parameters.initiator_depth = static_cast<std::uint8_t>(std::min(common_->device.limits.max_qp_init_rd_atom, most_reads));
  parameters.retry_count = common_->settings.retries;
  parameters.rnr_retry_count = common_->settings.receiver_retries;
  return parameters;
}

Done ConnectionManager::begin(Common& common, const Granted& granted, ibv_srq* receives, const Card& peer, const Opening& ours, ConnectedEndpoint& endpoint) {
  granted_ = granted;
  receives_ = receives;
  Line& line = lines_[peer.world_rank];
  line.endpoint = &endpoint;
  line.ours = {common.job, common.world_rank, 0, ours};
  ++opening_;
  const bool connects = common.world_rank > peer.world_rank;
  if (line.request != nullptr) return accept(line);
  line.ours.is_knock = !connects;
  return resolve(connects ? line.id : line.knock, peer, line);
}

Done ConnectionManager::resolve(Id& id, const Card& peer, Line& line) {
  rdma_cm_id* made = nullptr;
  if (rdma_create_id(channel_.get(), &made, &line, RDMA_PS_TCP) != 0) return system_failure("rdma_create_id", errno);
  id.reset(made);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = peer.tcp_port;
  address.sin_addr.s_addr = peer.ipv4;
  if (rdma_resolve_addr(made, nullptr, reinterpret_cast<sockaddr*>(&address), resolve_limit_ms) != 0)
    return system_failure(fmt::format("address of rank {}", peer.world_rank), errno);
  return Nothing{};
}

ibv_qp_init_attr ConnectionManager::queue_of(std::uint32_t depth, std::uint32_t inline_bytes) const noexcept {
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = common_->completions.queue();
  wanted.srq = receives_;
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap = send_capabilities(common_->settings);
  wanted.cap.max_send_wr = depth;
  wanted.cap.max_inline_data = inline_bytes;
  return wanted;
}

Done ConnectionManager::make_queue(Line& line) {
  ibv_qp_init_attr wanted = queue_of(granted_.depth, granted_.inline_bytes);
  if (rdma_create_qp(line.id.get(), common_->device.domain.get(), &wanted) != 0) return system_failure("a queue pair for a connection", errno);
  line.queue.id = line.id.get();
  line.endpoint->begin(line.id->qp, granted_);
  return Nothing{};
}

Done ConnectionManager::make_knock_queue(Line& line) {
  ibv_qp_init_attr wanted = queue_of(1, 0);
  if (rdma_create_qp(line.knock.get(), common_->device.domain.get(), &wanted) != 0) return system_failure("a queue pair for a connection", errno);
  line.knock_queue.id = line.knock.get();
  return Nothing{};
}

Done ConnectionManager::accept(Line& line) {
  line.id = std::move(line.request);
  line.id->context = &line;
  line.ours.is_knock = 0;
  if (Done made = make_queue(line); !made) return made;
  line.endpoint->open_at_first_message(line.theirs.opening);
  rdma_conn_param ours = parameters(line.ours);
  if (rdma_accept(line.id.get(), &ours) != 0) return system_failure("accepting a connection", errno);
  --opening_;
  return Nothing{};
}

bool ConnectionManager::poll() noexcept {
  bool moved = false;
  rdma_cm_event* event = nullptr;
  while (rdma_get_cm_event(channel_.get(), &event) == 0) {
    moved = true;
    handle(*event);
  }
  return moved;
}

// An event is acknowledged before what it is about may be destroyed.
void ConnectionManager::handle(rdma_cm_event& event) noexcept {
  if (event.event == RDMA_CM_EVENT_CONNECT_REQUEST) {
    Introduction theirs{};
    const std::size_t bytes = std::min<std::size_t>(event.param.conn.private_data_len, sizeof theirs);
    if (event.param.conn.private_data != nullptr) std::memcpy(&theirs, event.param.conn.private_data, bytes);
    rdma_cm_id* id = event.id;
    (void)rdma_ack_cm_event(&event);
    take_request(id, &theirs, bytes);
  } else if (event.id == listener_.get()) {
    (void)rdma_ack_cm_event(&event);
  } else {
    advance(*static_cast<Line*>(event.id->context), event);
  }
}

void ConnectionManager::take_request(rdma_cm_id* id, const void* data, std::size_t bytes) noexcept {
  Id request(id);
  Introduction theirs;
  std::memcpy(&theirs, data, sizeof theirs);
  const bool is_known = bytes == sizeof theirs && theirs.job == common_->job && theirs.from >= 0 && theirs.from < common_->world_size;
  if (!is_known || theirs.is_knock != 0) (void)rdma_reject(id, nullptr, 0);
  if (!is_known) return;
  Line& line = lines_[theirs.from];
  if (line.endpoint == nullptr && !line.told) {
    line.told = true;
    fresh_.push_back(theirs.from);
  }
  if (theirs.is_knock != 0 || line.id != nullptr) return;
  line.theirs = theirs;
  line.request = std::move(request);
  if (line.endpoint == nullptr) return;
  if (const Done accepted = accept(line); !accepted) line.endpoint->fail("accepting a connection", std::strerror(errno));
}

void ConnectionManager::advance(Line& line, rdma_cm_event& event) noexcept {
  rdma_cm_id* id = event.id;
  const rdma_cm_event_type type = event.event;
  const int status = event.status;
  Introduction theirs{};
  const bool is_whole = event.param.conn.private_data != nullptr && event.param.conn.private_data_len >= sizeof theirs;
  if (type == RDMA_CM_EVENT_ESTABLISHED && is_whole) std::memcpy(&theirs, event.param.conn.private_data, sizeof theirs);
  (void)rdma_ack_cm_event(&event);
  const bool is_knock = id == line.knock.get();
  int error = 0;
  switch (type) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      error = rdma_resolve_route(id, resolve_limit_ms);
      break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED: {
      if (!(is_knock ? make_knock_queue(line) : make_queue(line))) return line.endpoint->fail("connecting", "no queue pair");
      rdma_conn_param ours = parameters(line.ours);
      error = rdma_connect(id, &ours);
      break;
    }
    case RDMA_CM_EVENT_ESTABLISHED:
      if (is_knock || line.endpoint == nullptr || common_->world_rank < theirs.from || !is_whole) break;   // the accepting side waits for a message
      --opening_;
      line.endpoint->open_with(theirs.opening);
      line.endpoint->wake();
      break;
    case RDMA_CM_EVENT_REJECTED:
      if (is_knock) {                  // it has been heard
        line.knock_queue.reset();
        line.knock.reset();
        break;
      }
      [[fallthrough]];
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
      if (line.endpoint != nullptr) line.endpoint->fail(rdma_event_str(type), std::strerror(-status));
      break;
    case RDMA_CM_EVENT_DISCONNECTED:
      if (!is_knock && line.endpoint != nullptr) line.endpoint->close();
      break;
    default: break;
  }
  if (error != 0 && line.endpoint != nullptr) line.endpoint->fail("connecting", std::strerror(errno));
}

int ConnectionManager::poll_contact() noexcept {
  while (!fresh_.empty()) {
    const int peer = fresh_.back();
    fresh_.pop_back();
    if (lines_[peer].endpoint == nullptr) return peer;
  }
  return -1;
}

}  // namespace weft::fabric::verbs
