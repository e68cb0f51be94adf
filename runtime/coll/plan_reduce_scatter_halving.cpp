// Reduce_scatter(_block) by recursive halving: each round keeps the half with our own block. log2 p latencies + n bytes +
// n operations, two more rounds when p is no power of two. For middle sizes. The first partner is half the ranks away, so
// operations must be commutative; every block is combined on one rank, so its bits depend on nothing else.
// Source: Thakur, Rabenseifner, Gropp, 2005.
#include "coll/plan.hpp"

namespace weft::coll {

namespace {

// First elements of the blocks of active numbers: a pair's two blocks stand side by side.
struct Blocks {
  const Facts& facts;
  const Fold& fold;
  std::int64_t start_of_rank(int rank) const {
    if (!facts.receive_counts) return rank * facts.receive_count;
    std::int64_t first = 0;
    for (int before = 0; before < rank; ++before) first += facts.receive_counts[before];
    return first;
  }
  std::int64_t start(int number) const { return start_of_rank(number < fold.surplus ? 2 * number : number + fold.surplus); }
  Place range(const Region& region, int from, int to) const { return region.elements(start(from), start(to) - start(from)); }
};

}  // namespace

void plan_reduce_scatter_halving(const Facts& facts, Schedule& schedule) {
  const Fold fold(facts, -1);
  const Blocks blocks{facts, fold};
  const std::int64_t count = blocks.start_of_rank(facts.ranks), own = scattered_count(facts, facts.rank);
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
  load_input(facts, count, acc, schedule);
  fold_in(facts, fold, acc.elements(0, count), other.elements(0, count), schedule);
  int first = 0, end = fold.active_ranks;
  for (int mask = fold.active_ranks / 2; mask > 0; mask /= 2) {
    const int middle = first + mask;
    const bool upper = fold.number >= middle;
    const Place kept = upper ? blocks.range(acc, middle, end) : blocks.range(acc, first, middle);
    const Place given = upper ? blocks.range(acc, first, middle) : blocks.range(acc, middle, end);
    const Place landing = other.elements(0, kept.count);
    schedule.receive(fold.rank_of(fold.number ^ mask), landing);
    schedule.send(fold.rank_of(fold.number ^ mask), given);
    schedule.wait();
    schedule.reduce(landing, kept);
    (upper ? first : end) = middle;
  }
  if (fold.pair >= 0) {
    schedule.send(fold.pair, acc.elements(blocks.start_of_rank(fold.pair), scattered_count(facts, fold.pair)));
  }
  schedule.copy(acc.elements(blocks.start_of_rank(facts.rank), own), final);
  schedule.wait();
}

}  // namespace weft::coll
