// Allreduce as reduce-scatter by halving the vector, then allgather back the same way: 2 log2 p latencies + 2 n bytes +
// n operations, two more rounds of n bytes when p is no power of two. For long vectors. The distance doubles while the
// vector halves (near partners exchange the most, and groups stay contiguous), so the order of ranks is kept.
// Source: Rabenseifner, "Optimization of collective reduction operations", 2004; Thakur et al., 2005.
#include "coll/plan.hpp"

namespace weft::coll {

ElementRange halved(int number, int levels, std::int64_t count) noexcept {
  ElementRange range{0, count};
  for (int level = 0; level < levels; ++level) {
    const std::int64_t middle = range.first + range.count / 2;
    if (number >> level & 1) range = {middle, range.first + range.count - middle};
    else range.count = middle - range.first;
  }
  return range;
}

int reduce_by_halving(const Facts& facts, const Fold& fold, const Region& acc, const Region& other, Schedule& schedule) {
  const std::int64_t count = facts.receive_count;
  int level = 0;
  for (int mask = 1; mask < fold.active_ranks; mask *= 2, ++level) {
    const int partner = fold.number ^ mask;
    const ElementRange mine = halved(fold.number, level + 1, count), theirs = halved(partner, level + 1, count);
    const Place landing = other.elements(0, mine.count), kept = acc.elements(mine.first, mine.count);
    schedule.receive(fold.rank_of(partner), landing);
    schedule.send(fold.rank_of(partner), acc.elements(theirs.first, theirs.count));
    schedule.wait();
    if (partner < fold.number) schedule.reduce(landing, kept);
    else append(facts, kept, landing, schedule);
  }
  return level;
}

void plan_allreduce_halving(const Facts& facts, Schedule& schedule) {
  const Fold fold(facts, -1);
  const std::int64_t count = facts.receive_count;
  const Region acc = receive_region(facts);
  const Place whole = acc.elements(0, count);
  if (fold.number < 0) {
    fold_in(facts, fold, whole, whole, schedule);
    schedule.receive(fold.pair, whole);
    schedule.wait();
    return;
  }
  const std::int64_t landing = fold.pair >= 0 ? count : facts.ranks > 1 ? (count + 1) / 2 : 0;
  const Region other = schedule.scratch_elements(facts.receive_type, Unit::receive_type, landing);
  load_input(facts, count, acc, schedule);
  fold_in(facts, fold, whole, other.elements(0, count), schedule);
  for (int level = reduce_by_halving(facts, fold, acc, other, schedule); level-- > 0;) {
    const int partner = fold.number ^ (1 << level);
    const ElementRange mine = halved(fold.number, level + 1, count), theirs = halved(partner, level + 1, count);
    schedule.receive(fold.rank_of(partner), acc.elements(theirs.first, theirs.count));
    schedule.send(fold.rank_of(partner), acc.elements(mine.first, mine.count));
    schedule.wait();
  }
  if (fold.pair >= 0) schedule.send(fold.pair, whole);
  schedule.wait();
}

}  // namespace weft::coll
