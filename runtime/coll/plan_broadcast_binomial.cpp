// Broadcast down a binomial tree, whole message at once: ceil(log2 p) (latency + n * byte). For small messages.
// Source: the binomial tree of Johnsson, Ho, "Optimum broadcasting and personalized communication in hypercubes", 1989.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_broadcast_binomial(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks;
  const int place = wrap(facts.rank - facts.root, ranks);
  const Place whole = receive_region(facts).elements(0, facts.receive_count);
  int mask = 1;
  while (mask < ranks && !(place & mask)) mask *= 2;
  if (place != 0) {
    schedule.receive(wrap(place - mask + facts.root, ranks), whole);
    schedule.wait();
  }
  for (mask /= 2; mask > 0; mask /= 2) {
    if (place + mask < ranks) schedule.send(wrap(place + mask + facts.root, ranks), whole);
  }
  schedule.wait();
}

}  // namespace weft::coll
