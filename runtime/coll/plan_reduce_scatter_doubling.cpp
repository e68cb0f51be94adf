// Reduce_scatter(_block) as an allreduce by recursive doubling in scratch of which each rank keeps its block: ceil(log2 p)
// (latency + n (byte + operation)). For short vectors; keeps the order of ranks.
// Source: Thakur, Rabenseifner, Gropp, 2005.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_reduce_scatter_doubling(const Facts& facts, Schedule& schedule) {
  const Fold fold(facts, -1);
  std::int64_t count = 0, first = 0, pair_first = 0;
  for (int rank = 0; rank < facts.ranks; ++rank) {
    if (rank == facts.rank) first = count;
    if (rank == fold.pair) pair_first = count;
    count += scattered_count(facts, rank);
  }
  const std::int64_t own = scattered_count(facts, facts.rank);
  const Place final = receive_region(facts).elements(0, own);
  if (fold.number < 0) {
    const Place whole = reduction_input(facts).elements(0, count);
    fold_in(facts, fold, whole, whole, schedule);
    schedule.receive(fold.pair, final);
    schedule.wait();
    return;
  }
  const Region acc = schedule.scratch_elements(facts.receive_type, Unit::receive_type, count);
  const Region other = schedule.scratch_elements(facts.receive_type, Unit::receive_type, facts.ranks > 1 ? count : 0);
  const Region result = reduce_by_doubling(facts, fold, count, acc, other, schedule);
  if (fold.pair >= 0) schedule.send(fold.pair, result.elements(pair_first, scattered_count(facts, fold.pair)));
  schedule.copy(result.elements(first, own), final);
  schedule.wait();
}

}  // namespace weft::coll
