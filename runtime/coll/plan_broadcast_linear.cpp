// Broadcast straight from the root: one message to each rank, at once. One latency + n bytes for each receiver, no hops.
// On one node a long message is copied by its receiver from the root's memory, so all copy at the same time and nobody
// waits for a rank between, which matters most where ranks share cores.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_broadcast_linear(const Facts& facts, Schedule& schedule) {
  const Place whole = receive_region(facts).elements(0, facts.receive_count);
  if (facts.rank != facts.root) {
    schedule.receive(facts.root, whole);
  } else {
    for (int distance = 1; distance < facts.ranks; ++distance) schedule.send(wrap(facts.root + distance, facts.ranks), whole);
  }
  schedule.wait();
}

}  // namespace weft::coll
