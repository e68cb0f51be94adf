// Broadcast as a binomial scatter of one chunk per rank, then a ring that gathers them everywhere; chunks a rank holds
// from the scatter are not sent to it again. (log2 p + p) latencies + 2 n bytes. For long messages on not too many ranks.
// Source: van de Geijn, "On global combine operations", 1994; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
#include <algorithm>

#include "coll/plan.hpp"

namespace weft::coll {

namespace {

struct Chunks {
  std::int64_t bytes, chunk;
  int ranks;
  std::int64_t start(int index) const noexcept { return std::min(bytes, index * chunk); }
  Place range(const Region& packed, int from, int to) const noexcept {
    return packed.elements(start(from), start(to) - start(from));
  }
  // The end of the subtree whose chunks `place` holds after the scatter.
  int end_of(int place) const noexcept {
    if (place == 0) return ranks;
    const int lowest = place & -place;
    return lowest > ranks - place ? ranks : place + lowest;
  }
  bool holds(int place, int chunk_index) const noexcept { return chunk_index >= place && chunk_index < end_of(place); }
};

void scatter(const Facts& facts, const Chunks& chunks, const Region& packed, int place, Schedule& schedule) {
  const int ranks = facts.ranks;
  int mask = 1;
  while (mask < ranks && !(place & mask)) mask *= 2;
  if (place != 0) {
    schedule.receive(wrap(place - mask + facts.root, ranks), chunks.range(packed, place, chunks.end_of(place)));
    schedule.wait();
  }
  for (mask /= 2; mask > 0; mask /= 2) {
    const int child = place + mask;
    if (child < ranks) schedule.send(wrap(child + facts.root, ranks), chunks.range(packed, child, chunks.end_of(child)));
  }
  schedule.wait();
}

}  // namespace

void plan_broadcast_scatter_allgather(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks;
  const int place = wrap(facts.rank - facts.root, ranks);
  const std::int64_t bytes = facts.receive_count * facts.receive_type.size;
  const std::int64_t chunk = ((bytes + ranks - 1) / ranks + 63) & ~std::int64_t{63};
  const Chunks chunks{bytes, chunk, ranks};
  const Region packed = packed_broadcast(facts, schedule);
  if (place == 0) pack_broadcast(facts, packed, schedule);
  scatter(facts, chunks, packed, place, schedule);

  const int next = wrap(place + 1, ranks), previous = wrap(place - 1, ranks);
  for (int round = 0; round + 1 < ranks; ++round) {
    const int leaving = wrap(place - round, ranks), coming = wrap(previous - round, ranks);
    if (!chunks.holds(place, coming)) schedule.receive(wrap(previous + facts.root, ranks), chunks.range(packed, coming, coming + 1));
    if (!chunks.holds(next, leaving)) schedule.send(wrap(next + facts.root, ranks), chunks.range(packed, leaving, leaving + 1));
    schedule.wait();
  }
  if (place != 0) unpack_broadcast(facts, packed, schedule);
}

}  // namespace weft::coll
