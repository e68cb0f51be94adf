// Opening the shared-memory port, contacts, single copy.
#include "fabric/shm/port.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "fabric/shm/single_copy.hpp"
#include "os/futex.hpp"
#include "os/options.hpp"

namespace weft::fabric::shm {
namespace {

constexpr Caps shm_caps() {
  Caps caps;
  caps.operations = op_write | op_write_immediate | op_read | op_fetch_add | op_compare_swap | op_send;
  caps.max_inline_bytes = SIZE_MAX;   // posting copies
  caps.in_order_placement = true;     // x86 stores are ordered, elsewhere publish() releases
  caps.atomic_scope = AtomicScope::memory;
  caps.wait_handle = true;
  caps.latency_ns = 100;
  caps.bytes_per_ns = 10;
  caps.post_ns = 5;
  return caps;
}

}  // namespace

Expected<std::unique_ptr<Port>> ShmPort::open(const Circumstances& circumstances) {
  const std::vector<int>& peers = circumstances.local_peers;
  if (peers.size() > static_cast<std::size_t>(max_local_ranks))
    return Failure{Status::unsupported, fmt::format("{} ranks on this host, the shm fabric holds {}", peers.size(), max_local_ranks)};
  std::unique_ptr<ShmPort> port(new ShmPort);
  port->caps_ = shm_caps();
  port->local_peers_ = peers;
  port->local_rank_ = port->local_rank_of(circumstances.world_rank);
  port->shape_ = circumstances.shape;
  port->fenced_by_others_ = os::barrier_register();
  if (port->local_rank_ == 0) {
    Expected<Giver> giver = Giver::listen();
    if (!giver) return giver.failure();
    port->giver_ = std::move(*giver);
  }
  return std::unique_ptr<Port>(std::move(port));
}

std::string ShmPort::card() const { return giver_ ? giver_->address() : std::string(); }

Done ShmPort::adopt(NodeMemory memory) {
  memory_ = std::move(memory);
  page_ = &memory_->page(local_rank_);
  queue_.open(*memory_);
  if (!fenced_by_others_)   // then this rank fences itself whenever it rings anybody
    for (int rank = 0; rank < memory_->layout().ranks; ++rank) memory_->page(rank).attention.fetch_or(needs_fence, std::memory_order_seq_cst);
  static_assert(sizeof page_->cpus == sizeof(cpu_set_t));
  (void)::sched_getaffinity(0, sizeof page_->cpus, reinterpret_cast<cpu_set_t*>(page_->cpus));
  publish_proof(*page_, proof_word_);
  contact_bits_seen_.assign(max_local_ranks / 64, 0);
  proofs_.assign(local_peers_.size(), os::option_text("single-copy") == "off" ? Proof::denied : Proof::unknown);
  return Nothing{};
}

Done ShmPort::connect(const std::string& first_card, os::Deadline deadline) {
  const Layout layout{static_cast<int>(local_peers_.size()), shape_};
  if (local_rank_ != 0) {
    Expected<os::Fd> file = take(first_card, deadline);
    if (!file) return file.failure();
    Expected<NodeMemory> memory = NodeMemory::attach(std::move(*file), layout, local_rank_);
    return memory ? adopt(std::move(*memory)) : Done(memory.failure());
  }
  Expected<NodeMemory> memory = NodeMemory::create(layout, local_rank_);
  if (!memory) return memory.failure();
  const Done adopted = adopt(std::move(*memory));
  if (!adopted) return adopted;
  const Done given = giver_->give(memory_->file(), layout.ranks - 1, deadline);
  giver_.reset();
  return given;
}

int ShmPort::local_rank_of(int world_rank) const noexcept {
  const auto found = std::lower_bound(local_peers_.begin(), local_peers_.end(), world_rank);
  return found != local_peers_.end() && *found == world_rank ? static_cast<int>(found - local_peers_.begin()) : -1;
}

int ShmPort::poll_contact() noexcept {
  if (page_->contacts.load(std::memory_order_acquire) == contacts_seen_) return -1;
  for (std::size_t word = 0; word < contact_bits_seen_.size(); ++word) {
    const std::uint64_t fresh = page_->contact_bits[word].load(std::memory_order_acquire) & ~contact_bits_seen_[word];
    if (fresh == 0) continue;
    const int bit = std::countr_zero(fresh);
    contact_bits_seen_[word] |= std::uint64_t{1} << bit;
    ++contacts_seen_;
    return local_peers_[word * 64 + static_cast<std::size_t>(bit)];
  }
  return -1;
}

// Where ranks share cores, sleeping is frequent and senders rarely run at the same time: then they fence, not the sleeper.
bool ShmPort::crowded() noexcept {
  if (crowd_ != Crowd::unknown) return crowd_ == Crowd::yes;
  std::uint64_t together[max_cpus / 64] = {};
  bool complete = true;
  for (int rank = 0; rank < memory_->layout().ranks; ++rank) {
    const RankPage& page = memory_->page(rank);
    if (page.proof_value.load(std::memory_order_acquire) == 0) complete = false;   // still starting
    else
      for (std::size_t word = 0; word < std::size(together); ++word) together[word] |= page.cpus[word];
  }
  int cpus = 0;
  for (const std::uint64_t word : together) cpus += std::popcount(word);
  const bool crowd = memory_->layout().ranks > cpus;
  if (!complete) return crowd;
  crowd_ = crowd ? Crowd::yes : Crowd::no;
  if (crowd) {
    page_->attention.fetch_or(needs_fence, std::memory_order_seq_cst);
    os::barrier_all();   // from here on every sender sees it
  }
  return crowd;
}

Expected<PushTarget> ShmPort::open_push(int world_rank) {
  const int receiver = local_rank_of(world_rank);
  const Done reserved = memory_->reserve_ring(receiver, local_rank_);
  if (!reserved) return reserved.failure();
  make_contact(receiver);
  return PushTarget{memory_->ring(receiver, local_rank_), &memory_->page(receiver)};
}

// After what the peer needs to find has been laid out. Told once a peer.
void ShmPort::make_contact(int local_rank) noexcept {
  RankPage& page = memory_->page(local_rank);
  const std::uint64_t bit = std::uint64_t{1} << (local_rank_ % 64);
  if ((page.contact_bits[local_rank_ / 64].fetch_or(bit, std::memory_order_release) & bit) != 0) return;   // known already
  page.contacts.fetch_add(1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  ring_doorbell(page);
}

Expected<Endpoint*> ShmPort::open(int world_rank, const std::string&, const Opening& ours) {
  const int peer = local_rank_of(world_rank);
  auto endpoint = std::make_unique<ShmEndpoint>(*memory_, queue_, peer);
  if (Done done = endpoint->open(ours); !done) return done.failure();
  make_contact(peer);
  (void)endpoint->look();
  endpoints_.push_back(std::move(endpoint));
  return endpoints_.back().get();
}

bool ShmPort::poll() noexcept {
  bool moved = queue_.sort();
  for (const auto& endpoint : endpoints_) moved |= endpoint->look();
  return moved;
}

Expected<Region> ShmPort::allocate(std::size_t bytes) {
  const Expected<std::uint64_t> offset = memory_->allocate(bytes);
  if (!offset) return offset.failure();
  return Region{memory_->address(*offset), bytes, 0, {*offset, 0}};
}

void ShmPort::free(const Region& region) noexcept { memory_->free(region.remote.address, region.bytes); }

int ShmPort::wait_fd() noexcept {
  if (!bell_) {
    bell_ = BellSocket::make();
    if (!bell_) return -1;
    bell_->name().copy(page_->bell_name, bell_name_bytes - 1);
  }
  return bell_->fd();
}

PushSource ShmPort::inbound(int world_rank) const noexcept {
  const int sender = local_rank_of(world_rank);
  return {memory_->ring(local_rank_, sender), &memory_->page(sender)};
}

bool ShmPort::can_read(int world_rank) noexcept {
  const int peer = local_rank_of(world_rank);
  Proof& proof = proofs_[static_cast<std::size_t>(peer)];
  const RankPage& page = memory_->page(peer);
  if (proof == Proof::unknown && page.proof_value.load(std::memory_order_acquire) != 0)   // 0: the peer is still starting
    proof = prove(page) ? Proof::works : Proof::denied;
  return proof == Proof::works;
}

Status ShmPort::read(int world_rank, std::uint64_t remote_address, const iovec* local, int runs) noexcept {
  return read_remote(memory_->page(local_rank_of(world_rank)).process_id, remote_address, local, runs);
}

}  // namespace weft::fabric::shm
