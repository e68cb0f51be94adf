// Allreduce and reduce in two steps of one round each: every rank gets its block of the vector from all others and combines
// it in the order of ranks; then the blocks go to all, or to the root. 2 latencies + 2 n bytes + n operations, in passes
// that bound the scratch. For long vectors on one node, where a round costs more than another message, and most so where
// ranks share cores. Each block is combined on one rank, in rank order: any operation, and the same bits everywhere.
#include <algorithm>

#include "coll/plan.hpp"

namespace weft::coll {

namespace {

constexpr std::int64_t pass_bytes = 8 << 20;

// One pass over elements [first, first + count) of the vector, cut into a block for each rank.
struct Pass {
  std::int64_t first, count;
  int ranks;
  Place block(const Region& region, int owner) const noexcept {
    const std::int64_t share = count / ranks, rest = count % ranks;
    return region.elements(first + owner * share + std::min<std::int64_t>(owner, rest), share + (owner < rest));
  }
};

// Round one. The result of our block ends in `result`, which is the caller's, or in the receive buffer's own block.
void collect_block(const Facts& facts, const Pass& pass, const Region& landing, const Place& result, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank, last = ranks - 1;
  const Region input = reduction_input(facts);
  const Place own = pass.block(input, rank);
  const bool holds_input = own.space == result.space;          // in place: our operand stands where the result goes
  // operand of each rank: others' in scratch, in rank order; the last rank's at once where the result is made
  const auto operand = [&](int of) {
    if (of == rank) return own;
    if (of == last && !holds_input) return result;
    return landing.elements((of < rank ? of : of - 1) * own.count, own.count);
  };
  for (int shift = 1; shift < ranks; ++shift) {
    const int source = wrap(rank - shift, ranks), target = wrap(rank + shift, ranks);
    schedule.receive(source, operand(source));
    schedule.send(target, pass.block(input, target));
  }
  if (rank == last && !holds_input) schedule.copy(own, result);
  schedule.wait();
  const Place sum = rank == last ? result : operand(last);
  for (int of = last - 1; of >= 0; --of) schedule.reduce(operand(of), sum);
  if (rank != last && holds_input) schedule.copy(sum, result);
}

template <class Spread>
void in_passes(const Facts& facts, Schedule& schedule, Spread&& spread) {
  const std::int64_t size = std::max<std::int64_t>(1, facts.receive_type.size), count = facts.receive_count;
  const std::int64_t at_once = std::min(count, std::max<std::int64_t>(facts.ranks, pass_bytes / size));
  const std::int64_t block = at_once / facts.ranks + 1;
  const Region landing = schedule.scratch_elements(facts.receive_type, Unit::receive_type, facts.ranks > 1 && count > 0 ? (facts.ranks - 1) * block : 0);
  for (std::int64_t first = 0; first < count; first += at_once) spread(Pass{first, std::min(at_once, count - first), facts.ranks}, landing);
}

}  // namespace

void plan_allreduce_spread(const Facts& facts, Schedule& schedule) {
  const Region receive = receive_region(facts);
  in_passes(facts, schedule, [&](const Pass& pass, const Region& landing) {
    const Place own = pass.block(receive, facts.rank);
    collect_block(facts, pass, landing, own, schedule);
    for (int shift = 1; shift < facts.ranks; ++shift) {
      const int source = wrap(facts.rank - shift, facts.ranks);
      schedule.receive(source, pass.block(receive, source));
      schedule.send(wrap(facts.rank + shift, facts.ranks), own);
    }
    schedule.wait();
  });
}

void plan_reduce_spread(const Facts& facts, Schedule& schedule) {
  const bool root = facts.rank == facts.root;
  const Region receive = receive_region(facts);
  Region sum;                                    // of one pass
  in_passes(facts, schedule, [&](const Pass& pass, const Region& landing) {
    if (!root && pass.first == 0) sum = schedule.scratch_elements(facts.receive_type, Unit::receive_type, pass.count / facts.ranks + 1);
    const Place own = root ? pass.block(receive, facts.rank) : sum.elements(0, pass.block(receive, facts.rank).count);
    collect_block(facts, pass, landing, own, schedule);
    if (!root) schedule.send(facts.root, own);
    for (int shift = 1; root && shift < facts.ranks; ++shift) {
      const int source = wrap(facts.rank + shift, facts.ranks);
      schedule.receive(source, pass.block(receive, source));
    }
    schedule.wait();
  });
}

}  // namespace weft::coll
