// Allgather and allgatherv straight from everyone to everyone, a window of shifts at a time: (p - 1) / window latencies +
// n bytes. On one node each rank copies all blocks from their owners' memory in one round; a ring would need p - 1.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_allgather_spread(const Facts& facts, Schedule& schedule) {
  constexpr int window = 32;
  const int ranks = facts.ranks, rank = facts.rank;
  const Place own = receive_block(facts, rank);
  if (!facts.in_place) schedule.copy(send_block(facts, rank), own);
  for (int shift = 1; shift < ranks; ++shift) {
    const int source = wrap(rank - shift, ranks);
    schedule.receive(source, receive_block(facts, source));
    schedule.send(wrap(rank + shift, ranks), own);
    if (shift % window == 0) schedule.wait();
  }
  schedule.wait();
}

}  // namespace weft::coll
