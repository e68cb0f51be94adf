// What the small collectives of one node write and read in their slots; see flat.hpp.
#include <cstring>

#include "coll/flat.hpp"
#include "data/pack.hpp"
#include "fabric/shm/port.hpp"

namespace weft::coll {

namespace {

void copy_small(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == 8) std::memcpy(to, from, 8);
  else if (bytes != 0) std::memcpy(to, from, bytes);
}

void combine(const FlatOperation& operation, const void* lower, void* higher) noexcept {
  if (operation.kernel != nullptr) [[likely]] operation.kernel(lower, higher, operation.count);
  else data::apply(operation.operation, lower, higher, operation.count, operation.type);
}

}  // namespace

inline bool FlatRegion::post(FlatOperation& operation) noexcept {
  if (!room(operation)) return false;
  operation.posted = true;
  if (operation.call != nullptr) {
    post_exchange(operation);
  } else if (operation.collective == Collective::broadcast) {
    if (operation.root == rank_) post_broadcast(operation);
  } else if (ranks_ > 2) {
    post_gathered(operation);
  } else if (operation.collective != Collective::reduce || operation.root != rank_) {
    fill(slot(operation, rank_), operation, operation.send);
    notify(1 - rank_);
  }
  return true;
}

inline bool FlatRegion::arrived(FlatOperation& operation) noexcept {
  if (operation.call != nullptr) return exchanged(operation);
  if (operation.collective == Collective::broadcast) return operation.root == rank_ || take_broadcast(operation);
  if (!awaits_result(operation)) return true;
  return ranks_ > 2 ? take_gathered(operation) : take_pair(operation);
}

inline void FlatRegion::fill(Slot& target, const FlatOperation& operation, const void* data) noexcept {
  target.kind = operation.kind;
  target.bytes = operation.bytes;
  copy_small(target.data(), data, operation.bytes);
  target.sequence.store(operation.number, std::memory_order_release);
}

inline bool FlatRegion::agrees(FlatOperation& operation, const Slot& with) noexcept {
  if (with.kind == operation.kind && with.bytes == operation.bytes) [[likely]] return true;
  operation.ending = {with.kind == operation.kind ? Status::truncated : Status::bad_argument, with.bytes, operation.bytes};
  return false;
}

// ---- broadcast
void FlatRegion::post_broadcast(FlatOperation& operation) noexcept {
  Slot& out = result(operation);
  (void)data::pack(operation.type, operation.receive, operation.count, 0, out.data(), operation.bytes);
  out.kind = operation.kind;
  out.bytes = operation.bytes;
  out.sequence.store(operation.number, std::memory_order_release);
  notify_others();
}

bool FlatRegion::take_broadcast(FlatOperation& operation) noexcept {
  Slot& in = result(operation);
  if (in.sequence.load(std::memory_order_acquire) != operation.number) return false;
  if (agrees(operation, in)) (void)data::unpack(operation.type, operation.receive, operation.count, 0, in.data(), operation.bytes);
  return true;
}

// ---- two ranks: both combine, the lower rank's operand first
inline bool FlatRegion::take_pair(FlatOperation& operation) noexcept {
  Slot& other = slot(operation, 1 - rank_);
  if (other.sequence.load(std::memory_order_acquire) != operation.number) return false;
  if (!agrees(operation, other) || operation.bytes == 0) return true;
  if (rank_ == 1) {
    if (operation.receive != operation.send) copy_small(operation.receive, operation.send, operation.bytes);
    combine(operation, other.data(), operation.receive);
    return true;
  }
  // our operand is the lower one; in place it stands where the result goes, and a second copy in our slot
  const void* mine = operation.send;
  if (operation.receive == operation.send) {
    mine = slot(operation, rank_).data();
    if (operation.collective == Collective::reduce) std::memcpy(slot(operation, rank_).data(), operation.send, operation.bytes);
  }
  copy_small(operation.receive, other.data(), operation.bytes);
  combine(operation, mine, operation.receive);
  return true;
}

// ---- more ranks: the last one to come combines
void FlatRegion::post_gathered(FlatOperation& operation) noexcept {
  fill(slot(operation, rank_), operation, operation.send);
  Line& count = arrivals(operation);
  if (count.value.fetch_add(1, std::memory_order_acq_rel) + 1 != static_cast<std::uint64_t>(ranks_)) return;
  count.value.store(0, std::memory_order_relaxed);      // for the buffer's next operation; published with the result
  combine_all(operation);
  if (operation.collective != Collective::reduce) notify_others();
  else if (operation.root != rank_) notify(operation.root);
}

void FlatRegion::combine_all(FlatOperation& operation) noexcept {
  Slot& out = result(operation);
  out.kind = operation.kind;
  out.bytes = operation.bytes;
  for (int rank = ranks_ - 1; rank >= 0; --rank) {
    Slot& operand = slot(operation, rank);
    if (operand.kind != out.kind || operand.bytes != out.bytes) [[unlikely]] {
      out.kind = operand.kind == out.kind ? out.kind : ~0U;      // all who look will see that they don't agree
      out.bytes = operand.bytes;
      break;
    }
    if (operation.bytes == 0) continue;
    if (rank == ranks_ - 1) copy_small(out.data(), operand.data(), operation.bytes);
    else combine(operation, operand.data(), out.data());
  }
  out.sequence.store(operation.number, std::memory_order_release);
}

bool FlatRegion::take_gathered(FlatOperation& operation) noexcept {
  Slot& in = result(operation);
  if (in.sequence.load(std::memory_order_acquire) != operation.number) return false;
  if (agrees(operation, in)) copy_small(operation.receive, in.data(), operation.bytes);
  return true;
}

// ---- all of it
[[gnu::always_inline]] inline bool FlatRegion::step(FlatOperation& operation) noexcept {
  if (!operation.posted && !post(operation)) return false;
  if (!arrived(operation)) return false;
  done_with(operation.number);
  return true;
}

bool FlatRegion::advance(FlatOperation& operation) noexcept { return step(operation); }

bool FlatRegion::run(FlatOperation& operation) {
  if (!step(operation)) [[unlikely]] run_long(operation);
  return operation.ending.status == Status::ok;
}

}  // namespace weft::coll
