// Scatter down a binomial tree: each rank gets the packed blocks of its subtree and hands parts on. ceil(log2 p)
// latencies + n bytes at the root. For short blocks. The root sends a subtree straight from place unless it wraps.
// Source: the binomial tree of Johnsson, Ho, 1989; Thakur et al., 2005.
#include <algorithm>

#include "coll/plan.hpp"

namespace weft::coll {

namespace {

void hand_out_from_root(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks;
  const std::int64_t block = facts.send_count * facts.send_type.size;
  for (int first = power_of_two_below(std::max(ranks - 1, 1)); first > 0 && ranks > 1; first /= 2) {
    const int end = std::min(2 * first, ranks), peer = wrap(first + facts.root, ranks);
    if (peer + (end - first) <= ranks) {
      schedule.send(peer, send_region(facts).elements(peer * facts.send_count, (end - first) * facts.send_count));
      continue;
    }
    const Region packed = schedule.scratch_bytes_region((end - first) * block);
    for (int place = first; place < end; ++place) {
      schedule.copy(send_block(facts, wrap(place + facts.root, ranks)), packed.elements((place - first) * block, block));
    }
    schedule.send(peer, packed.elements(0, (end - first) * block));
  }
  if (!facts.in_place) schedule.copy(send_block(facts, facts.root), receive_block(facts, facts.root));
  schedule.wait();
}

}  // namespace

void plan_scatter_binomial(const Facts& facts, Schedule& schedule) {
  if (facts.rank == facts.root) return hand_out_from_root(facts, schedule);
  const int ranks = facts.ranks, place = wrap(facts.rank - facts.root, ranks);
  const int lowest = place & -place, subtree = std::min(lowest, ranks - place), parent = wrap(place - lowest + facts.root, ranks);
  const Place own = receive_block(facts, facts.rank);
  if (subtree == 1) {
    schedule.receive(parent, own);
    schedule.wait();
    return;
  }
  const Region packed = schedule.scratch_bytes_region(subtree * own.bytes);
  schedule.receive(parent, packed.elements(0, subtree * own.bytes));
  schedule.wait();
  for (int mask = power_of_two_below(subtree - 1); mask > 0; mask /= 2) {
    const int children = std::min(mask, subtree - mask);
    schedule.send(wrap(facts.rank + mask, ranks), packed.elements(mask * own.bytes, children * own.bytes));
  }
  schedule.copy(packed.elements(0, own.bytes), own);
  schedule.wait();
}

}  // namespace weft::coll
