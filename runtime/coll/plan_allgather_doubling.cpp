// Allgather by recursive doubling, in place in the receive buffer: log2 p latencies + n bytes, no copies. For short and
// middle sizes on a power of two of ranks.
// Source: Thakur, Rabenseifner, Gropp, 2005.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_allgather_doubling(const Facts& facts, Schedule& schedule) {
  const Region receive = receive_region(facts);
  const std::int64_t count = facts.receive_count;
  if (!facts.in_place) schedule.copy(send_block(facts, facts.rank), receive_block(facts, facts.rank));
  for (int mask = 1; mask < facts.ranks; mask *= 2) {
    const int partner = facts.rank ^ mask;
    const int mine = facts.rank & -mask, theirs = partner & -mask;      // first ranks of both groups
    schedule.receive(partner, receive.elements(theirs * count, mask * count));
    schedule.send(partner, receive.elements(mine * count, mask * count));
    schedule.wait();
  }
}

}  // namespace weft::coll
