// Allgather and allgatherv by Bruck's algorithm on packed blocks: ceil(log2 p) latencies + n bytes for any p, and two
// copies of n. Blocks stand in scratch in the order own, own + 1, ...; each round doubles them. For short blocks.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8(11), 1997.
#include <algorithm>

#include "coll/plan.hpp"

namespace weft::coll {

namespace {

void unpack(const Facts& facts, const Region& packed, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank;
  if (!facts.receive_counts) {
    const Region receive = receive_region(facts);
    const std::int64_t count = facts.receive_count, block = gathered_bytes(facts, 0);
    schedule.copy(packed.elements(0, (ranks - rank) * block), receive.elements(rank * count, (ranks - rank) * count));
    schedule.copy(packed.elements((ranks - rank) * block, rank * block), receive.elements(0, rank * count));
    return;
  }
  std::int64_t offset = 0;
  for (int distance = 0; distance < ranks; ++distance) {
    const int peer = wrap(rank + distance, ranks);
    const Place block = receive_block(facts, peer);
    schedule.copy(packed.elements(offset, block.bytes), block);
    offset += block.bytes;
  }
}

}  // namespace

void plan_allgather_bruck(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank;
  const auto bytes_between = [&](int from, int to) {
    std::int64_t bytes = 0;
    for (int distance = from; distance < to; ++distance) bytes += gathered_bytes(facts, wrap(rank + distance, ranks));
    return bytes;
  };
  const Region packed = schedule.scratch_bytes_region(bytes_between(0, ranks));
  schedule.copy(facts.in_place ? receive_block(facts, rank) : send_block(facts, rank),
                packed.elements(0, gathered_bytes(facts, rank)));
  std::int64_t held = gathered_bytes(facts, rank);
  for (int distance = 1; distance < ranks; distance *= 2) {
    const int blocks = std::min(distance, ranks - distance);
    const std::int64_t coming = bytes_between(distance, distance + blocks);
    const std::int64_t leaving = blocks == distance ? held : bytes_between(0, blocks);
    schedule.receive(wrap(rank + distance, ranks), packed.elements(held, coming));
    schedule.send(wrap(rank - distance, ranks), packed.elements(0, leaving));
    schedule.wait();
    held += coming;
  }
  unpack(facts, packed, schedule);
}

}  // namespace weft::coll
