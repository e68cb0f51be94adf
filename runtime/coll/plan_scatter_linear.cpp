// Scatter and scatterv straight from the root: the root posts a window of sends at a time, the others receive once.
// p / window latencies + n bytes at the root, no copies. For long blocks and for scatterv, whose sizes only the root knows.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_scatter_linear(const Facts& facts, Schedule& schedule) {
  constexpr int window = 64;
  if (facts.rank != facts.root) {
    schedule.receive(facts.root, receive_block(facts, facts.rank));
    schedule.wait();
    return;
  }
  if (!facts.in_place) schedule.copy(send_block(facts, facts.root), receive_block(facts, facts.root));
  for (int distance = 1; distance < facts.ranks; ++distance) {
    const int peer = wrap(facts.rank + distance, facts.ranks);
    schedule.send(peer, send_block(facts, peer));
    if (distance % window == 0) schedule.wait();
  }
  schedule.wait();
}

}  // namespace weft::coll
