// Broadcast down a pipelined chain: segments follow one another from rank to rank. (p - 2 + segments) (latency +
// segment * byte), so about n bytes for very long messages on few ranks: half of scatter and allgather.
// Source: the pipelined broadcast of Watts, van de Geijn, "A pipelined broadcast for multidimensional meshes", 1995.
#include <algorithm>

#include "coll/plan.hpp"

namespace weft::coll {

void plan_broadcast_chain(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks;
  const int place = wrap(facts.rank - facts.root, ranks);
  const bool last = place + 1 == ranks;
  const std::int64_t bytes = facts.receive_count * facts.receive_type.size;
  const std::int64_t segment = std::max<std::int64_t>(64 << 10, bytes / 512);
  const std::int64_t segments = (bytes + segment - 1) / segment;
  const Region packed = packed_broadcast(facts, schedule);
  const auto part = [&](std::int64_t index) {
    return packed.elements(index * segment, std::min(segment, bytes - index * segment));
  };
  if (place == 0) pack_broadcast(facts, packed, schedule);
  // The first rank sends a segment a round; the others send what they received the round before.
  const std::int64_t lag = place == 0 ? 0 : 1;
  for (std::int64_t round = 0; round < segments + lag; ++round) {
    if (place != 0 && round < segments) schedule.receive(wrap(facts.rank - 1, ranks), part(round));
    if (!last && round >= lag) schedule.send(wrap(facts.rank + 1, ranks), part(round - lag));
    schedule.wait();
  }
  if (place != 0) unpack_broadcast(facts, packed, schedule);
}

}  // namespace weft::coll
