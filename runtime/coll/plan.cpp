// What the plans share; see plan.hpp.
#include "coll/plan.hpp"

namespace weft::coll {

namespace {

Region block_region(Space space, Unit unit, const TypeFacts& type, const TypeFacts* types, Integers displacements, int peer) {
  if (types) return {space, unit, peer, displacements[peer], types[peer]};
  return {space, unit, -1, displacements ? displacements[peer] * type.extent : 0, type};
}

}  // namespace

Place send_block(const Facts& facts, int peer) noexcept {
  const bool one = facts.collective == Collective::gather || facts.collective == Collective::gatherv ||
                   facts.collective == Collective::allgather || facts.collective == Collective::allgatherv;
  if (one) return send_region(facts).elements(0, facts.send_count);
  if (!facts.send_counts) return send_region(facts).elements(peer * facts.send_count, facts.send_count);
  return block_region(Space::send, Unit::send_type, facts.send_type, facts.send_types, facts.send_displacements, peer)
      .elements(0, facts.send_counts[peer]);
}

Place receive_block(const Facts& facts, int peer) noexcept {
  const bool one = facts.collective == Collective::scatter || facts.collective == Collective::scatterv;
  if (one) return receive_region(facts).elements(0, facts.receive_count);
  if (!facts.receive_counts) return receive_region(facts).elements(peer * facts.receive_count, facts.receive_count);
  return block_region(Space::receive, Unit::receive_type, facts.receive_type, facts.receive_types,
                      facts.receive_displacements, peer)
      .elements(0, facts.receive_counts[peer]);
}

std::int64_t gathered_bytes(const Facts& facts, int rank) noexcept {
  return (facts.receive_counts ? facts.receive_counts[rank] : facts.receive_count) * facts.receive_type.size;
}

std::int64_t scattered_count(const Facts& facts, int rank) noexcept {
  return facts.receive_counts ? facts.receive_counts[rank] : facts.receive_count;
}

Region packed_broadcast(const Facts& facts, Schedule& schedule) {
  const TypeFacts& type = facts.receive_type;
  if (type.contiguous) return {Space::receive, Unit::bytes, -1, type.true_lower_bound, {}};
  return schedule.scratch_bytes_region(facts.receive_count * type.size);
}

void pack_broadcast(const Facts& facts, const Region& packed, Schedule& schedule) {
  const Place whole = receive_region(facts).elements(0, facts.receive_count);
  if (packed.space == Space::scratch) schedule.copy(whole, packed.elements(0, whole.bytes));
}

void unpack_broadcast(const Facts& facts, const Region& packed, Schedule& schedule) {
  const Place whole = receive_region(facts).elements(0, facts.receive_count);
  if (packed.space == Space::scratch) schedule.copy(packed.elements(0, whole.bytes), whole);
}

Fold::Fold(const Facts& facts, int favoured_rank) noexcept
    : active_ranks(power_of_two_below(facts.ranks)), surplus(facts.ranks - active_ranks), favoured(favoured_rank) {
  number = number_of(facts.rank);
  if (!folded(facts.rank)) return;
  pair = facts.rank ^ 1;
  if (active_of_pair(facts.rank) != facts.rank) number = -1;
}

int Fold::rank_of(int active) const noexcept {
  return active < surplus ? active_of_pair(2 * active) : active + surplus;
}

int Fold::number_of(int rank) const noexcept { return folded(rank) ? rank / 2 : rank - surplus; }

void append(const Facts& facts, const Place& acc, const Place& later, Schedule& schedule) {
  if (facts.commutative) {
    schedule.reduce(later, acc);
  } else {
    schedule.reduce(acc, later);
    schedule.copy(later, acc);
  }
}

void load_input(const Facts& facts, std::int64_t count, const Region& to, Schedule& schedule) {
  const Region input = reduction_input(facts);
  if (input.space != to.space) schedule.copy(input.elements(0, count), to.elements(0, count));
}

void fold_in(const Facts& facts, const Fold& fold, const Place& acc, const Place& other, Schedule& schedule) {
  if (fold.pair < 0) return;
  if (fold.number < 0) {
    Place input = reduction_input(facts).elements(0, acc.count);
    schedule.send(fold.pair, input);
    schedule.wait();
    return;
  }
  schedule.receive(fold.pair, other);
  schedule.wait();
  if (fold.pair < facts.rank) schedule.reduce(other, acc);
  else append(facts, acc, other, schedule);
}

}  // namespace weft::coll
