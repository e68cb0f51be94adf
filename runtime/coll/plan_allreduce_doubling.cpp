// Allreduce by recursive doubling, whole vector each round: ceil(log2 p) (latency + n (byte + operation)), two more
// rounds when p is no power of two. For short vectors. Partners apply the operation to the same operands in the same
// order, the lower ranks' first, so all ranks hold the same bits.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", 2005.
#include <utility>

#include "coll/plan.hpp"

namespace weft::coll {

Region reduce_by_doubling(const Facts& facts, const Fold& fold, std::int64_t count, Region acc, Region other, Schedule& schedule) {
  if (fold.number >= 0) load_input(facts, count, acc, schedule);
  fold_in(facts, fold, acc.elements(0, count), other.elements(0, count), schedule);
  if (fold.number < 0) return acc;
  for (int mask = 1; mask < fold.active_ranks; mask *= 2) {
    const int partner = fold.number ^ mask;
    schedule.receive(fold.rank_of(partner), other.elements(0, count));
    schedule.send(fold.rank_of(partner), acc.elements(0, count));
    schedule.wait();
    if (partner < fold.number) {
      schedule.reduce(other.elements(0, count), acc.elements(0, count));
    } else {
      schedule.reduce(acc.elements(0, count), other.elements(0, count));
      std::swap(acc, other);
    }
  }
  return acc;
}

void plan_allreduce_doubling(const Facts& facts, Schedule& schedule) {
  const Fold fold(facts, -1);
  const std::int64_t count = facts.receive_count;
  const Region receive = receive_region(facts);
  const Region other = fold.number < 0 ? receive : schedule.scratch_elements(facts.receive_type, Unit::receive_type, facts.ranks > 1 ? count : 0);
  const Region result = reduce_by_doubling(facts, fold, count, receive, other, schedule);
  const Place final = receive.elements(0, count);
  if (fold.number < 0) {
    schedule.receive(fold.pair, final);
  } else {
    if (result.space != Space::receive) schedule.copy(result.elements(0, count), final);
    if (fold.pair >= 0) schedule.send(fold.pair, final);
  }
  schedule.wait();
}

}  // namespace weft::coll
