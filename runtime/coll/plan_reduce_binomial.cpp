// Reduce up a binomial tree, whole vector at once: ceil(log2 p) (latency + n (byte + operation)). For short vectors.
// Every rank combines subtrees in rank order. A tree rooted elsewhere than at rank 0 keeps the order only up to rotation,
// so an operation that is not commutative is reduced to rank 0 and its result sent on.
// Source: the binomial tree of Johnsson, Ho, 1989.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_reduce_binomial(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks;
  const int top = facts.commutative ? facts.root : 0;       // where the tree ends
  const int place = wrap(facts.rank - top, ranks);
  const bool root = facts.rank == facts.root;
  const std::int64_t count = facts.receive_count;
  int mask = 1, children = 0;
  for (; mask < ranks && !(place & mask); mask *= 2) children += place + mask < ranks;

  // Each child's data lands in the buffer that does not hold the result so far; the last one's in the user's.
  Region ends[2] = {receive_region(facts), receive_region(facts)};
  if (!root || place != 0) ends[0] = schedule.scratch_elements(facts.receive_type, Unit::receive_type, children ? count : 0);
  if (children > 1 || (facts.in_place && children)) ends[1] = schedule.scratch_elements(facts.receive_type, Unit::receive_type, count);
  Place result = reduction_input(facts).elements(0, count);
  int left = children;
  for (int bit = 1; bit < mask; bit *= 2) {
    if (place + bit >= ranks) continue;
    --left;
    Region landing = ends[left % 2];
    if (landing.space == result.space && landing.offset == result.offset) landing = ends[1 - left % 2];
    const Place later = landing.elements(0, count);
    schedule.receive(wrap(place + bit + top, ranks), later);
    schedule.wait();
    schedule.reduce(result, later);
    result = later;
  }
  const Place final = receive_region(facts).elements(0, count);
  if (place != 0) {
    schedule.send(wrap(place - mask + top, ranks), result);
  } else if (!root) {
    schedule.send(facts.root, result);
  } else if (result.space != Space::receive) {
    schedule.copy(result, final);
  }
  if (root && place != 0) {
    schedule.wait();
    schedule.receive(top, final);
  }
  schedule.wait();
}

}  // namespace weft::coll
