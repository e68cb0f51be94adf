// Opening the verbs port, and its turn of the progress loop.
#include "fabric/verbs/port.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "os/log.hpp"
#include "os/options.hpp"
#include "os/topology.hpp"

namespace weft::fabric::verbs {
namespace {

constexpr int completions_a_poll = 16;
constexpr std::uint32_t turns_a_look = 64;          // the clock is looked at every so many turns
constexpr std::uint32_t turns_a_contact = 1024;     // connection events, when none is waited for
constexpr std::uint32_t greetings_sent = 32;
constexpr std::uint32_t greetings_received = 128;
constexpr std::uint32_t messages_kept = 256;        // over UD, by the sender, for all peers

std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

Expected<std::unique_ptr<Port>> VerbsPort::open(const Circumstances& circumstances) {
  const Expected<Settings> settings = Settings::read();
  if (!settings) return settings.failure();
  std::unique_ptr<VerbsPort> port(new VerbsPort);
  const Done started = port->start(circumstances, *settings);
  if (started) return std::unique_ptr<Port>(std::move(port));
  Failure failure = started.failure();
  if (failure.status == Status::bad_argument || failure.status == Status::unsupported) return failure;
  // There is a device, and it is not to be had: the user should know, once a host, and goes on over the next fabric
  const bool first_here = circumstances.local_peers.front() == circumstances.world_rank;
  if (first_here && !os::option_is_set("fabrics")) os::log_error("fabric verbs is not used: {}", failure.note);
  failure.status = Status::unsupported;
  return failure;
}

Done VerbsPort::start(const Circumstances& circumstances, const Settings& settings) {
  crowded_ = os::outnumber_cores(circumstances.local_peers.size());
  common_.world_rank = circumstances.world_rank;
  common_.world_size = circumstances.world_size;
  common_.job = hash_of(circumstances.job);
  common_.settings = settings;
  Expected<Device> device = Device::open(settings);
  if (!device) return device.failure();
  common_.device = std::move(*device);
  if (common_.device.network == Network::iwarp)
    if (Done opened = manager_.open(common_); !opened) return opened;
  common_.device.domain.reset(ibv_alloc_pd(common_.device.context));
  if (common_.device.domain == nullptr) return system_failure(fmt::format("protection domain of {}", common_.device.name), errno);
  common_.memory.emplace(common_.device.domain.get(), common_.device.has_atomics(), Memory::Cache{settings.cache_bytes, settings.cache_entries});
  if (Done opened = common_.bell.open(); !opened) return opened;
  if (Done opened = common_.completions.open(common_.device); !opened) return opened;
  if (Done watched = common_.bell.watch(common_.completions.fd()); !watched) return watched;
  common_.card.network = common_.device.network;
  common_.card.transport = settings.transport;
  common_.card.mtu = static_cast<std::uint8_t>(common_.device.mtu);
  common_.card.is_routed = common_.device.is_routed;
  common_.card.world_rank = circumstances.world_rank;
  common_.card.lid = common_.device.lid;
  common_.card.gid = common_.device.gid;
  caps_.wait_handle = true;
  caps_.latency_ns = 2000;
  caps_.bytes_per_ns = common_.device.bytes_per_ns;
  caps_.post_ns = 100;
  if (settings.transport == Transport::ud) return start_messages();
  if (Done started = start_connected(); !started) return started;
  return manager_.is_open() ? common_.bell.watch(manager_.fd()) : start_datagrams();
}

Done VerbsPort::start_connected() {
  if (Done opened = connected_.open(common_); !opened) return opened;
  const Expected<QueuePair> trial = QueuePair::create(common_, connected_.shared_receives.get());   // what is granted
  if (!trial) return trial.failure();
  connected_.granted = trial->granted();
  caps_.operations = connected_.operations;
  caps_.max_inline_bytes = connected_.granted.inline_bytes;
  caps_.in_order_placement = connected_.granted.in_order;
  caps_.atomic_scope = !caps_.has(op_fetch_add) ? AtomicScope::none : common_.device.limits.atomic_cap == IBV_ATOMIC_GLOB ? AtomicScope::memory : AtomicScope::port;
  max_message_bytes_ = common_.settings.message_bytes;
  return Nothing{};
}

Done VerbsPort::start_datagrams() {
  if (Done opened = datagrams_.open(common_, greetings_sent, greetings_received, sizeof(Greeting)); !opened) return opened;
  common_.card.datagram_queue = datagrams_.number();
  return Nothing{};
}

// UD alone: messages of one packet, nothing that is connected.
Done VerbsPort::start_messages() {
  if (common_.device.network == Network::iwarp) return Failure{Status::unsupported, fmt::format("{} has no UD transport", common_.device.name)};
  const std::size_t packet = std::size_t{128} << common_.device.mtu;
  max_message_bytes_ = std::min<std::size_t>(common_.settings.message_bytes, packet - sizeof(DatagramHead));
  caps_.operations = op_send;
  if (Done opened = datagrams_.open(common_, messages_kept, common_.settings.receives, max_message_bytes_); !opened) return opened;
  caps_.max_inline_bytes = max_message_bytes_;       // copied
  common_.card.datagram_queue = datagrams_.number();
  return Nothing{};
}

VerbsPort::~VerbsPort() { manager_.close(); }

// The same answer on both sides: the same kind of network, of addresses, and of transport. RoCE goes through routers, an
// InfiniBand subnet ends at them.
bool VerbsPort::reaches(std::string_view peer_card) const noexcept {
  const std::optional<Card> peer = card_of(peer_card);
  const Card& ours = common_.card;
  if (!peer || peer->network != ours.network || peer->transport != ours.transport || peer->is_routed != ours.is_routed) return false;
  if (ours.transport == Transport::ud && peer->mtu != ours.mtu) return false;      // a message is one packet
  return ours.network != Network::infiniband || std::equal(peer->gid.raw, peer->gid.raw + 8, ours.gid.raw);
}

Status VerbsPort::expose(void* address, std::size_t bytes, Region& region) noexcept {
  return common_.settings.transport == Transport::rc ? common_.memory->expose(address, bytes, region) : Status::unsupported;
}

Expected<Endpoint*> VerbsPort::open(int world_rank, const std::string& peer_card, const Opening& ours) {
  const std::optional<Card> peer = world_rank == common_.world_rank ? std::optional(common_.card) : card_of(peer_card);
  if (!peer) return Failure{Status::unsupported, fmt::format("rank {} has no verbs port that this one understands", world_rank)};
  if (manager_.is_open()) return open_managed(*peer, ours);
  const Expected<Route> route = datagrams_.route_to(*peer);
  if (!route) return route.failure();
  if (common_.settings.transport == Transport::ud) return open_datagram(world_rank, *route, ours);
  return open_connected(world_rank, *peer, *route, ours);
}

Expected<Endpoint*> VerbsPort::open_managed(const Card& peer, const Opening& ours) {
  if (peer.world_rank == common_.world_rank) return Failure{Status::unsupported, "no connection to itself over iWARP"};
  endpoints_.push_back(std::make_unique<ConnectedEndpoint>(common_, connected_, peer.world_rank));
  ConnectedEndpoint& opened = *endpoints_.back();
  if (const Done reserved = opened.reserve(connected_.granted.depth); !reserved) return reserved.failure();
  const Done begun = manager_.begin(common_, connected_.granted, connected_.shared_receives.get(), peer, ours, opened);
  if (!begun) return Failure{begun.failure().status, fmt::format("to rank {}: {}", peer.world_rank, begun.failure().note)};
  return &opened;
}

Expected<Endpoint*> VerbsPort::open_datagram(int world_rank, const Route& route, const Opening& ours) {
  DatagramEndpoint& opened = by_datagram_.add(world_rank, route);
  if (world_rank == common_.world_rank) opened.open_with(ours);
  else side_.begin(world_rank, route, Greeting{0, 0, ours}, opened);
  return &opened;
}

Expected<Endpoint*> VerbsPort::open_connected(int world_rank, const Card& peer, const Route& route, const Opening& ours) {
  auto endpoint = std::make_unique<ConnectedEndpoint>(common_, connected_, world_rank);
  if (const Done created = endpoint->create(); !created) return Failure{created.failure().status, fmt::format("to rank {}: {}", world_rank, created.failure().note)};
  by_queue_[endpoint->number()] = endpoint.get();
  endpoints_.push_back(std::move(endpoint));
  ConnectedEndpoint& opened = *endpoints_.back();
  if (world_rank == common_.world_rank) {
    if (const Done connected = opened.connect_to_self(ours); !connected) return connected.failure();
    return &opened;
  }
  opened.set_peer(peer);
  side_.begin(world_rank, route, Greeting{opened.number(), 0, ours}, opened);
  return &opened;
}

int VerbsPort::poll_contact() noexcept { return manager_.is_open() ? manager_.poll_contact() : side_.poll_contact(); }

bool VerbsPort::poll() noexcept {
  ibv_wc completions[completions_a_poll];
  const int count = common_.completions.poll(completions, completions_a_poll);
  for (int i = 0; i < count; ++i) {
    const ibv_wc& completion = completions[i];
    if ((completion.wr_id & (connected_mark | datagram_mark)) == 0) SendQueue::complete(completion);
    else if ((completion.wr_id & connected_mark) != 0) receive(completion);
    else receive_datagram(completion);
  }
  if ((side_.is_busy() || by_datagram_.is_busy()) && ++turns_ % turns_a_look == 0) [[unlikely]] look_at_clock();
  if (manager_.is_open() && ++turns_ % (manager_.is_busy() ? turns_a_look : turns_a_contact) == 0) [[unlikely]] return manager_.poll() || count > 0;
  return count > 0;
}

void VerbsPort::receive(const ibv_wc& completion) noexcept {
  if (last_ == nullptr || last_->number() != completion.qp_num) {
    ConnectedEndpoint* const found = connected_to(completion.qp_num);
    if (found == nullptr) return connected_.receives.give_back(ReceiveQueue::buffer_of(completion.wr_id));
    last_ = found;
  }
  last_->arrive(completion);
}

// The connection manager makes queue pairs later than endpoints, so those are looked for once.
ConnectedEndpoint* VerbsPort::connected_to(std::uint32_t queue) noexcept {
  if (const auto found = by_queue_.find(queue); found != by_queue_.end()) return found->second;
  for (const auto& endpoint : endpoints_)
    if (endpoint->has_queue() && endpoint->number() == queue) return by_queue_[queue] = endpoint.get();
  return nullptr;
}

void VerbsPort::receive_datagram(const ibv_wc& completion) noexcept {
  const DatagramHead* head = datagrams_.accept(completion);
  if (head == nullptr) return;
  if (head->kind != DatagramKind::greeting) return by_datagram_.handle(*head, ReceiveQueue::buffer_of(completion.wr_id));
  if (head->bytes == sizeof(Greeting)) side_.handle(*head, *reinterpret_cast<const Greeting*>(head + 1));
  datagrams_.receives().give_back(ReceiveQueue::buffer_of(completion.wr_id));
}

void VerbsPort::look_at_clock() noexcept {
  const std::int64_t now_ns = os::now_ns();
  side_.repeat(now_ns);
  by_datagram_.tend(now_ns);
}

void VerbsPort::prepare_sleep() noexcept {
  common_.completions.arm();
  if (manager_.is_open()) (void)manager_.poll();
  if (side_.is_busy() || by_datagram_.is_busy()) look_at_clock();
  common_.bell.set_alarm(std::min(side_.due_ns(), by_datagram_.due_ns()));
}

void VerbsPort::cancel_sleep() noexcept {
  common_.completions.drain();
  common_.bell.silence();
}

}  // namespace weft::fabric::verbs
