// The region's life, its numbers, and waiting; see flat.hpp. What travels through it is flat_steps.cpp.
#include "coll/flat.hpp"

#include <sched.h>

#include <algorithm>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "fabric/shm/port.hpp"
#include "match/engine.hpp"
#include "os/futex.hpp"
#include "os/log.hpp"
#include "os/runtime_lock.hpp"

namespace weft::coll {

namespace {

constexpr int spins = 400;             // looks before the general loop, when each rank has its core
constexpr int yields = 24;             // and when not: the others' turns

std::size_t bytes_of(const Call& call) noexcept {
  return static_cast<std::size_t>(call.receive_count) * static_cast<std::size_t>(call.receive_type->size);
}

// Regions whose communicator is gone here but not yet everywhere. Their owner gives the memory back.
struct Leaving {
  std::uint64_t offset;
  std::size_t bytes;
  std::atomic<std::uint32_t>* ranks_gone;
  std::uint32_t ranks;
};
std::vector<Leaving>& leaving() {
  static std::vector<Leaving> regions;
  return regions;
}

void give_back_left(fabric::shm::ShmPort& port) {
  std::erase_if(leaving(), [&port](const Leaving& region) {
    if (region.ranks_gone->load(std::memory_order_acquire) != region.ranks) return false;
    port.memory().free(region.offset, region.bytes);
    return true;
  });
}

}  // namespace

FlatRegion* FlatRegion::open(comm::Communicator& communicator) {
  fabric::shm::ShmPort* port = match::engine().switchboard().shm();
  if (port == nullptr || communicator.size < 2 || communicator.size > most_ranks) return nullptr;
  std::vector<int> local_ranks;
  for (int rank = 0; rank < communicator.size; ++rank) local_ranks.push_back(port->local_rank_of(communicator.peers[rank]));
  for (const int local : local_ranks) if (local < 0) return nullptr;

  const std::size_t bytes = region_bytes(local_ranks.size());
  std::uint64_t offset = 0;            // never a block's: the file opens with the ranks' pages
  if (communicator.rank == 0) {
    give_back_left(*port);
    const Expected<std::uint64_t> block = port->memory().allocate(bytes);
    if (block) offset = *block;
    else os::log_info("small collectives go as messages: {}", block.failure().note);
  }
  if (comm::broadcast(comm::circle_of(communicator), &offset, sizeof offset) != Status::ok || offset == 0) return nullptr;

  auto* region = new FlatRegion;
  region->port_ = port;
  region->offset_ = offset;
  region->base_ = port->memory().address(offset);
  for (std::size_t i = 0; i < buffers; ++i)
    region->buffers_[i] = region->base_ + sizeof(Head) + local_ranks.size() * sizeof(Line) + i * buffer_stride(local_ranks.size());
  region->my_done_line_ = &region->done_line(communicator.rank);
  region->ranks_ = communicator.size;
  region->rank_ = communicator.rank;
  region->slot_bytes_ = static_cast<std::int64_t>(slot_bytes(local_ranks.size()));
  region->slot_stride_ = slot_stride(local_ranks.size());
  region->local_ranks_ = std::move(local_ranks);
  if (!os::barrier_register()) region->head().needs_fence.store(1, std::memory_order_relaxed);
  return region;
}

void FlatRegion::close() {
  if (rank_ == 0) {
    leaving().push_back({offset_, region_bytes(local_ranks_.size()), &head().ranks_gone, static_cast<std::uint32_t>(ranks_)});
  }
  head().ranks_gone.fetch_add(1, std::memory_order_release);
  delete this;
}

bool FlatRegion::suits(const Call& call, int rank, int ranks) noexcept {
  const auto members = static_cast<std::size_t>(ranks);
  const bool plain = call.receive_type != nullptr && call.receive_type->predefined() && call.receive_type->contiguous;
  const auto slot_takes = [members](std::size_t bytes) { return bytes <= slot_bytes(members); };
  const auto given = [&] { return static_cast<std::size_t>(given_bytes(call, rank, ranks)); };
  switch (call.collective) {
    case Collective::barrier: return true;
    case Collective::broadcast: return bytes_of(call) <= result_bytes;
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan: return plain && slot_takes(bytes_of(call));
    case Collective::reduce_scatter_block: return plain && slot_takes(bytes_of(call) * members);
    case Collective::gather:
    case Collective::allgather: return slot_takes(given());
    case Collective::alltoall: return slot_takes(given());
    case Collective::scatter: return given() * members <= result_bytes;
    case Collective::allgatherv: {
      std::size_t most = 0;
      for (int other = 0; other < ranks; ++other) most = std::max(most, static_cast<std::size_t>(call.receive_counts[other] * call.receive_type->size));
      return slot_takes(most);
    }
    default: return false;
  }
}

void FlatRegion::take(FlatOperation& operation, const Call& call) noexcept {
  const bool data = call.collective != Collective::barrier;
  const bool simple = !data || call.collective == Collective::broadcast || call.collective == Collective::reduce || call.collective == Collective::allreduce;
  const std::int64_t bytes = !data ? 0 : simple ? call.receive_count * call.receive_type->size : given_bytes(call, rank_, ranks_);
  number(operation, call.collective, call.root, bytes);
  if (!simple) operation.call = &call;
  operation.receive = call.receive;
  operation.send = call.in_place ? call.receive : call.send;
  operation.count = call.receive_count;
  operation.type = call.receive_type;
  operation.operation = call.operation;
  operation.kernel = call.operation != nullptr ? data::kernel(call.operation, call.receive_type) : nullptr;
}

// The cold half of room(): looks at what the others say, and asks to be woken when it is not enough.
bool FlatRegion::look_for_room(std::uint64_t number, bool may_sleep) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << rank_;
  for (;;) {
    std::uint64_t least = done_;
    for (int rank = 0; rank < ranks_; ++rank) {
      const std::uint64_t done = done_line(rank).value.load(std::memory_order_acquire);
      if (done < least) least = done;
    }
    all_done_ = least;
    const bool enough = number <= all_done_ + buffers;
    if (enough == !wants_room_ || (!enough && !may_sleep)) return enough;
    wants_room_ = !enough;
    if (enough) {
      head().rank_wants_room.fetch_and(~bit, std::memory_order_relaxed);
      return true;
    }
    head().rank_wants_room.fetch_or(bit, std::memory_order_seq_cst);
    os::barrier_all();                 // then look once more
  }
}

// Some later operation ended first: bit i says that number done_ + 1 + i is over.
void FlatRegion::done_out_of_order(std::uint64_t number) noexcept {
  finished_ |= std::uint64_t{1} << (number - done_ - 1);
  while (finished_ & 1) {
    finished_ >>= 1;
    ++done_;
  }
}

void FlatRegion::tell_room() noexcept {
  const std::uint64_t wanting = head().rank_wants_room.load(std::memory_order_relaxed);
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank != rank_ && (wanting >> rank & 1)) notify(rank);
  }
}

void FlatRegion::notify(int rank) const noexcept { port_->notify(local_ranks_[static_cast<std::size_t>(rank)]); }

void FlatRegion::notify_others() const noexcept {
  for (int rank = 0; rank < ranks_; ++rank) if (rank != rank_) notify(rank);
}

// Looks for a short while, or gives the others the core; then waits in the progress loop, as a service of it, so that the
// last look before a sleep is at this operation too.
void FlatRegion::run_long(FlatOperation& operation) {
  if (!os::shared_by_threads()) {
    const bool crowded = port_->crowded();
    for (int turn = crowded ? spins - yields : 0; turn < spins; ++turn) {
      if (crowded) (void)::sched_yield();
      else os::pause();
      if (advance(operation)) return;
    }
  }
  struct Waiting final : match::Service {
    FlatRegion* region = nullptr;
    FlatOperation* awaited = nullptr;
    bool over = false;
    bool poll() override {
      const bool was_posted = awaited->posted;
      over = over || region->advance(*awaited);
      return over || was_posted != awaited->posted;
    }
  } waiting;
  waiting.region = this;
  waiting.awaited = &operation;
  operation.may_sleep = true;
  match::Engine& engine = match::engine();
  engine.add_service(&waiting);
  engine.wait_until([&waiting] { return waiting.over; });
  engine.remove_service(&waiting);
}

}  // namespace weft::coll
