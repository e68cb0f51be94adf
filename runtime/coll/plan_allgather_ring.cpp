// Allgather and allgatherv around a ring, in place in the receive buffer: p - 1 latencies + n bytes, no copies, only
// neighbours talk. For long blocks.
// Source: Thakur, Rabenseifner, Gropp, 2005.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_allgather_ring(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank;
  if (!facts.in_place) schedule.copy(send_block(facts, rank), receive_block(facts, rank));
  for (int round = 0; round + 1 < ranks; ++round) {
    schedule.receive(wrap(rank - 1, ranks), receive_block(facts, wrap(rank - round - 1, ranks)));
    schedule.send(wrap(rank + 1, ranks), receive_block(facts, wrap(rank - round, ranks)));
    schedule.wait();
  }
}

}  // namespace weft::coll
