// Barrier by dissemination: in round k every rank signals rank + 2^k and awaits rank - 2^k. ceil(log2 p) latencies.
// Source: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", 1988.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_barrier_dissemination(const Facts& facts, Schedule& schedule) {
  for (int distance = 1; distance < facts.ranks; distance *= 2) {
    schedule.send_token(wrap(facts.rank + distance, facts.ranks));
    schedule.receive_token(wrap(facts.rank - distance, facts.ranks));
    schedule.wait();
  }
}

}  // namespace weft::coll
