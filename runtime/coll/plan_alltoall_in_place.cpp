// Alltoall, alltoallv and alltoallw in place: in round t ranks r and t - r exchange one block, whose old content waits
// packed in scratch. p latencies + n bytes + n copied; scratch for one block.
#include <algorithm>

#include "coll/plan.hpp"

namespace weft::coll {

void plan_alltoall_in_place(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank;
  std::int64_t longest = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != rank) longest = std::max(longest, receive_block(facts, peer).bytes);
  }
  const Region packed = schedule.scratch_bytes_region(longest);
  for (int round = 0; round < ranks; ++round) {
    const int partner = wrap(round - rank, ranks);
    if (partner == rank) continue;
    const Place block = receive_block(facts, partner);
    schedule.copy(block, packed.elements(0, block.bytes));
    schedule.receive(partner, block);
    schedule.send(partner, packed.elements(0, block.bytes));
    schedule.wait();
  }
}

}  // namespace weft::coll
