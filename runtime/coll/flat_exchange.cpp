// The other small collectives of one node: gather, scatter, allgather(v), alltoall, reduce_scatter_block, scan and exscan.
// Each rank packs what it gives into its slot; once all have come, each takes what it wants from the slots and combines it
// itself, in the order of ranks. Scatter has the root pack all blocks into the result. See flat.hpp.
#include "coll/flat.hpp"
#include "data/pack.hpp"
#include "fabric/shm/port.hpp"

namespace weft::coll {

namespace {

struct Given {
  const void* address;
  std::int64_t count;
  const data::Datatype* type;
};

char* element(void* base, std::int64_t index, const data::Datatype* type) noexcept {
  return static_cast<char*>(base) + index * type->extent;
}

// Where rank's block stands in the receive buffer of a gather, allgather(v) or alltoall.
Given received_block(const Call& call, int rank) noexcept {
  if (!call.receive_counts) return {element(call.receive, rank * call.receive_count, call.receive_type), call.receive_count, call.receive_type};
  return {element(call.receive, call.receive_displacements[rank], call.receive_type), call.receive_counts[rank], call.receive_type};
}

Given given_by(const Call& call, int rank, int ranks) noexcept {
  const std::int64_t all = ranks;
  switch (call.collective) {
    case Collective::alltoall:
      return call.in_place ? Given{call.receive, all * call.receive_count, call.receive_type} : Given{call.send, all * call.send_count, call.send_type};
    case Collective::reduce_scatter_block: return {call.in_place ? call.receive : call.send, all * call.receive_count, call.receive_type};
    case Collective::scan:
    case Collective::exscan: return {call.in_place ? call.receive : call.send, call.receive_count, call.receive_type};
    default: return call.in_place ? received_block(call, rank) : Given{call.send, call.send_count, call.send_type};
  }
}

void combine(const FlatOperation& operation, const void* lower, void* higher, std::int64_t count) noexcept {
  if (operation.kernel != nullptr) operation.kernel(lower, higher, count);
  else data::apply(operation.call->operation, lower, higher, count, operation.call->receive_type);
}

}  // namespace

std::int64_t FlatRegion::given_bytes(const Call& call, int rank, int ranks) noexcept {
  if (call.collective == Collective::scatter)             // a block, on all ranks
    return rank == call.root ? call.send_count * call.send_type->size : call.receive_count * call.receive_type->size;
  const Given given = given_by(call, rank, ranks);
  return given.count * given.type->size;
}

void FlatRegion::post_exchange(FlatOperation& operation) noexcept {
  const Call& call = *operation.call;
  if (call.collective == Collective::scatter) {
    if (call.root == rank_) post_scatter(operation);
    return;
  }
  Slot& own = slot(operation, rank_);
  const Given given = given_by(call, rank_, ranks_);
  (void)data::pack(given.type, given.address, given.count, 0, own.data(), operation.bytes);
  own.kind = operation.kind;
  own.bytes = operation.bytes;
  own.sequence.store(operation.number, std::memory_order_release);
  if (ranks_ == 2) return notify(1 - rank_);
  Line& count = arrivals(operation);
  if (count.value.fetch_add(1, std::memory_order_acq_rel) + 1 != static_cast<std::uint64_t>(ranks_)) return;
  count.value.store(0, std::memory_order_relaxed);
  result(operation).sequence.store(operation.number, std::memory_order_release);
  if (call.collective != Collective::gather) notify_others();
  else if (call.root != rank_) notify(call.root);
}

void FlatRegion::post_scatter(FlatOperation& operation) noexcept {
  const Call& call = *operation.call;
  Slot& out = result(operation);
  (void)data::pack(call.send_type, call.send, ranks_ * call.send_count, 0, out.data(), std::int64_t{operation.bytes} * ranks_);
  out.kind = operation.kind;
  out.bytes = operation.bytes;
  out.sequence.store(operation.number, std::memory_order_release);
  notify_others();
}

bool FlatRegion::exchanged(FlatOperation& operation) noexcept {
  const Call& call = *operation.call;
  if (call.collective == Collective::gather && call.root != rank_) return true;
  const bool from_result = ranks_ > 2 || call.collective == Collective::scatter;
  const Slot& awaited = from_result ? result(operation) : slot(operation, 1 - rank_);
  if (awaited.sequence.load(std::memory_order_acquire) != operation.number) return false;
  if (call.collective != Collective::scatter) collect(operation);
  else if (!call.in_place && fits(operation, awaited, operation.bytes))
    (void)data::unpack(call.receive_type, call.receive, call.receive_count, 0,
                       result(operation).data() + std::int64_t{operation.bytes} * rank_, operation.bytes);
  return true;
}

// A slot as it should be: of this call, and as long as its rank is to give.
bool FlatRegion::fits(FlatOperation& operation, const Slot& from, std::int64_t expected) noexcept {
  if (from.kind == operation.kind && from.bytes == expected) return true;
  operation.ending = {from.kind == operation.kind ? Status::truncated : Status::bad_argument, from.bytes, static_cast<std::size_t>(expected)};
  return false;
}

void FlatRegion::collect(FlatOperation& operation) noexcept {
  const Call& call = *operation.call;
  switch (call.collective) {
    case Collective::reduce_scatter_block: {
      const std::int64_t block = call.receive_count * call.receive_type->size;
      return fold_slots(operation, ranks_ - 1, block * rank_, call.receive_count);
    }
    case Collective::scan: return fold_slots(operation, rank_, 0, call.receive_count);
    case Collective::exscan: return fold_slots(operation, rank_ - 1, 0, call.receive_count);
    default: break;
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    Slot& from = slot(operation, rank);
    const Given to = received_block(call, rank);
    const std::int64_t block = to.count * to.type->size;
    const bool each = call.collective == Collective::alltoall;
    if (!fits(operation, from, each ? block * ranks_ : block) || (call.in_place && !each && rank == rank_) || block == 0) continue;
    (void)data::unpack(to.type, const_cast<void*>(to.address), to.count, 0, from.data() + (each ? block * rank_ : 0), block);
  }
}

// receive = the operands at `offset` of slots 0 .. last, combined in that order.
void FlatRegion::fold_slots(FlatOperation& operation, int last, std::int64_t offset, std::int64_t count) noexcept {
  const Call& call = *operation.call;
  for (int rank = last; rank >= 0; --rank) {
    Slot& from = slot(operation, rank);
    if (!fits(operation, from, operation.bytes)) return;
    if (count == 0) continue;
    if (rank == last) (void)data::unpack(call.receive_type, call.receive, count, 0, from.data() + offset, count * call.receive_type->size);
    else combine(operation, from.data() + offset, call.receive, count);
  }
}

}  // namespace weft::coll
