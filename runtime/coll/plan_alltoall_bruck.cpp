// Alltoall by Bruck's algorithm: in round k all blocks whose distance has bit k set travel 2^k ranks. ceil(log2 p)
// latencies + n / 2 bytes each, and copies of as much. For short blocks on many ranks.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8(11), 1997.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_alltoall_bruck(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank;
  const std::int64_t block = facts.receive_count * facts.receive_type.size;
  const Region blocks = schedule.scratch_bytes_region(ranks * block);          // by distance from us
  const Region leaving = schedule.scratch_bytes_region((ranks + 1) / 2 * block);
  const Region coming = schedule.scratch_bytes_region((ranks + 1) / 2 * block);
  for (int distance = 0; distance < ranks; ++distance) {
    schedule.copy(send_block(facts, wrap(rank + distance, ranks)), blocks.elements(distance * block, block));
  }
  for (int bit = 1; bit < ranks; bit *= 2) {
    std::int64_t bytes = 0;
    for (int distance = bit; distance < ranks; ++distance) {
      if (!(distance & bit)) continue;
      schedule.copy(blocks.elements(distance * block, block), leaving.elements(bytes, block));
      bytes += block;
    }
    schedule.receive(wrap(rank - bit, ranks), coming.elements(0, bytes));
    schedule.send(wrap(rank + bit, ranks), leaving.elements(0, bytes));
    schedule.wait();
    bytes = 0;
    for (int distance = bit; distance < ranks; ++distance) {
      if (!(distance & bit)) continue;
      schedule.copy(coming.elements(bytes, block), blocks.elements(distance * block, block));
      bytes += block;
    }
  }
  for (int distance = 0; distance < ranks; ++distance) {
    schedule.copy(blocks.elements(distance * block, block), receive_block(facts, wrap(rank - distance, ranks)));
  }
}

}  // namespace weft::coll
