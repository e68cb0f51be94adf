// Scan and exscan by recursive doubling: ceil(log2 p) (latency + n (byte + 2 operations)) for any p. Each rank keeps the
// partial result of its group of 2^k neighbours and its own prefix; both grow in the order of ranks.
// Source: the parallel prefix of Hillis, Steele, "Data parallel algorithms", 1986; grouping as in Thakur et al., 2005.
#include <utility>

#include "coll/plan.hpp"

namespace weft::coll {

void plan_scan_doubling(const Facts& facts, Schedule& schedule) {
  const std::int64_t count = facts.receive_count;
  const bool exclusive = facts.collective == Collective::exscan;
  const Place prefix = receive_region(facts).elements(0, count);
  const bool alone = facts.ranks == 1;
  Place group = schedule.scratch_elements(facts.receive_type, Unit::receive_type, alone ? 0 : count).elements(0, count);
  Place other = schedule.scratch_elements(facts.receive_type, Unit::receive_type, alone ? 0 : count).elements(0, count);
  const Place input = reduction_input(facts).elements(0, count);
  if (!alone) schedule.copy(input, group);
  if (!exclusive && !facts.in_place) schedule.copy(input, prefix);
  bool started = !exclusive;
  for (int mask = 1; mask < facts.ranks; mask *= 2) {
    const int partner = facts.rank ^ mask;
    if (partner >= facts.ranks) continue;
    schedule.receive(partner, other);
    schedule.send(partner, group);
    schedule.wait();
    if (partner < facts.rank) {
      if (started) schedule.reduce(other, prefix);
      else schedule.copy(other, prefix);
      started = true;
      schedule.reduce(other, group);
    } else {
      schedule.reduce(group, other);
      std::swap(group, other);
    }
  }
}

}  // namespace weft::coll
