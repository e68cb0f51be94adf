// Allreduce around a ring: p - 1 rounds that reduce one block per rank, p - 1 that pass the results on. 2 (p - 1)
// latencies + 2 n bytes + n operations for any p. For very long vectors. Each block is combined in an order of its own,
// but on one rank, so all ranks hold the same bits; operations must be commutative.
// Source: Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
#include <algorithm>

#include "coll/plan.hpp"

namespace weft::coll {

void plan_allreduce_ring(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank;
  const int next = wrap(rank + 1, ranks), previous = wrap(rank - 1, ranks);
  const std::int64_t count = facts.receive_count, share = count / ranks, rest = count % ranks;
  const Region input = reduction_input(facts), acc = receive_region(facts);
  const auto block = [&](const Region& region, int index) {
    index = wrap(index, ranks);
    return region.elements(index * share + std::min<std::int64_t>(index, rest), share + (index < rest));
  };
  if (ranks == 1) return load_input(facts, count, acc, schedule);
  // Two buffers: what arrives lands in the result and our input is added. In place: it lands in scratch first.
  const Region landing = schedule.scratch_elements(facts.receive_type, Unit::receive_type, facts.in_place ? share + 1 : 0);
  for (int round = 0; round + 1 < ranks; ++round) {
    const Place kept = block(acc, rank - round - 1);
    const Place arrived = facts.in_place ? landing.elements(0, kept.count) : kept;
    schedule.receive(previous, arrived);
    schedule.send(next, block(round == 0 ? input : acc, rank - round));
    schedule.wait();
    schedule.reduce(facts.in_place ? arrived : block(input, rank - round - 1), kept);
  }
  for (int round = 0; round + 1 < ranks; ++round) {
    schedule.receive(previous, block(acc, rank - round));
    schedule.send(next, block(acc, wrap(rank - round, ranks) + 1));
    schedule.wait();
  }
}

}  // namespace weft::coll
