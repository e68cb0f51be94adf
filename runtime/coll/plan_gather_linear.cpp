// Gather and gatherv straight to the root: the root posts a window of receives at a time, the others send once. p / window
// latencies + n bytes at the root, no copies. For long blocks and for gatherv, whose sizes only the root knows.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_gather_linear(const Facts& facts, Schedule& schedule) {
  constexpr int window = 64;
  if (facts.rank != facts.root) {
    schedule.send(facts.root, send_region(facts).elements(0, facts.send_count));
    schedule.wait();
    return;
  }
  if (!facts.in_place) schedule.copy(send_region(facts).elements(0, facts.send_count), receive_block(facts, facts.root));
  for (int distance = 1; distance < facts.ranks; ++distance) {
    const int peer = wrap(facts.rank + distance, facts.ranks);
    schedule.receive(peer, receive_block(facts, peer));
    if (distance % window == 0) schedule.wait();
  }
  schedule.wait();
}

}  // namespace weft::coll
