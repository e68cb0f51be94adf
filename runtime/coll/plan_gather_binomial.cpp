// Gather up a binomial tree: inner ranks collect the packed blocks of their subtree. ceil(log2 p) latencies + n bytes at
// the root. For short blocks. The root receives a subtree straight into place unless it wraps past the last rank.
// Source: the binomial tree of Johnsson, Ho, 1989; Thakur et al., 2005.
#include <algorithm>

#include "coll/plan.hpp"

namespace weft::coll {

namespace {

void collect_at_root(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks;
  const std::int64_t block = facts.receive_count * facts.receive_type.size;
  Region wrapped;                          // at most one subtree wraps
  int wrapped_first = 0, wrapped_end = 0;
  if (!facts.in_place) schedule.copy(send_region(facts).elements(0, facts.send_count), receive_block(facts, facts.root));
  for (int first = 1; first < ranks; first *= 2) {
    const int end = std::min(2 * first, ranks), peer = wrap(first + facts.root, ranks);
    if (peer + (end - first) <= ranks) {
      schedule.receive(peer, receive_region(facts).elements(peer * facts.receive_count, (end - first) * facts.receive_count));
    } else {
      wrapped = schedule.scratch_bytes_region((end - first) * block);
      wrapped_first = first;
      wrapped_end = end;
      schedule.receive(peer, wrapped.elements(0, (end - first) * block));
    }
  }
  schedule.wait();
  for (int place = wrapped_first; place < wrapped_end; ++place) {
    schedule.copy(wrapped.elements((place - wrapped_first) * block, block), receive_block(facts, wrap(place + facts.root, ranks)));
  }
}

}  // namespace

void plan_gather_binomial(const Facts& facts, Schedule& schedule) {
  if (facts.rank == facts.root) return collect_at_root(facts, schedule);
  const int ranks = facts.ranks, place = wrap(facts.rank - facts.root, ranks);
  const int lowest = place & -place, subtree = std::min(lowest, ranks - place), parent = wrap(place - lowest + facts.root, ranks);
  const Place own = send_region(facts).elements(0, facts.send_count);
  if (subtree == 1) {
    schedule.send(parent, own);
    schedule.wait();
    return;
  }
  const Region packed = schedule.scratch_bytes_region(subtree * own.bytes);
  schedule.copy(own, packed.elements(0, own.bytes));
  for (int mask = 1; mask < subtree; mask *= 2) {
    const int children = std::min(mask, subtree - mask);
    schedule.receive(wrap(facts.rank + mask, ranks), packed.elements(mask * own.bytes, children * own.bytes));
  }
  schedule.wait();
  schedule.send(parent, packed.elements(0, subtree * own.bytes));
  schedule.wait();
}

}  // namespace weft::coll
