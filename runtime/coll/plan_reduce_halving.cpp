// Reduce as reduce-scatter by halving, then a binomial gather to the root: 2 log2 p latencies + 2 n bytes + n operations.
// For long vectors. Keeps the order of ranks. When p is no power of two the root is always one of the active ranks.
// Source: Rabenseifner, "Optimization of collective reduction operations", 2004.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_reduce_halving(const Facts& facts, Schedule& schedule) {
  const Fold fold(facts, facts.root);
  const std::int64_t count = facts.receive_count;
  if (fold.number < 0) {
    const Place whole = reduction_input(facts).elements(0, count);
    fold_in(facts, fold, whole, whole, schedule);
    return;
  }
  const bool root = facts.rank == facts.root;
  const Region acc = root ? receive_region(facts) : schedule.scratch_elements(facts.receive_type, Unit::receive_type, count);
  const std::int64_t landing = fold.pair >= 0 ? count : facts.ranks > 1 ? (count + 1) / 2 : 0;
  const Region other = schedule.scratch_elements(facts.receive_type, Unit::receive_type, landing);
  load_input(facts, count, acc, schedule);
  fold_in(facts, fold, acc.elements(0, count), other.elements(0, count), schedule);
  const int levels = reduce_by_halving(facts, fold, acc, other, schedule);

  const int target = fold.number_of(facts.root);
  for (int level = levels; level-- > 0;) {
    const int partner = fold.number ^ (1 << level);
    if ((fold.number ^ target) >> level & 1) {
      const ElementRange mine = halved(fold.number, level + 1, count);
      schedule.send(fold.rank_of(partner), acc.elements(mine.first, mine.count));
      schedule.wait();
      return;
    }
    const ElementRange theirs = halved(partner, level + 1, count);
    schedule.receive(fold.rank_of(partner), acc.elements(theirs.first, theirs.count));
    schedule.wait();
  }
}

}  // namespace weft::coll
