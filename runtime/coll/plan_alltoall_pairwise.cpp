// Alltoall, alltoallv and alltoallw by shifts: in shift k every rank sends to rank + k and receives from rank - k, some
// shifts at a time. (p - 1) / window latencies + n bytes, no copies. Windows bound what is in flight; ranks may be in
// different windows without deadlock, since the lowest unfinished shift always has both sides posted.
#include "coll/plan.hpp"

namespace weft::coll {

void plan_alltoall_pairwise(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank;
  constexpr std::int64_t long_window_bytes = 8 << 20;
  constexpr int most_shifts = 32;
  schedule.copy(send_block(facts, rank), receive_block(facts, rank));
  std::int64_t bytes = 0;
  int shifts = 0;
  for (int shift = 1; shift < ranks; ++shift) {
    const int target = wrap(rank + shift, ranks), source = wrap(rank - shift, ranks);
    const Place leaving = send_block(facts, target), coming = receive_block(facts, source);
    schedule.receive(source, coming);
    schedule.send(target, leaving);
    bytes += leaving.bytes + coming.bytes;
    if (++shifts < most_shifts && bytes < long_window_bytes) continue;
    schedule.wait();
    bytes = shifts = 0;
  }
  schedule.wait();
}

}  // namespace weft::coll
