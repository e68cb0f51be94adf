// The table of algorithms. A new algorithm is one file and one line here. Limits are in bytes and were set from the
// algorithms' costs with a latency of about 1 us and 10 GB/s; they need not be exact.
#include "coll/choose.hpp"

#include <algorithm>

#include "os/require.hpp"

namespace weft::coll {

namespace {

constexpr std::int64_t KiB = 1 << 10;

// Facts that are alike on all ranks: bytes of the whole vector (reductions, broadcast), of one block (gather, ...).
std::int64_t vector_bytes(const Facts& f) { return f.receive_count * f.receive_type.size; }
std::int64_t block_bytes(const Facts& f) {
  const bool from_send = (f.collective == Collective::gather && f.rank != f.root) ||
                         (f.collective == Collective::scatter && f.rank == f.root);
  return from_send ? f.send_count * f.send_type.size : f.receive_count * f.receive_type.size;
}
std::int64_t total_bytes(const Facts& f) {
  if (!f.receive_counts) return block_bytes(f) * f.ranks;
  std::int64_t bytes = 0;
  for (int rank = 0; rank < f.ranks; ++rank) bytes += f.receive_counts[rank] * f.receive_type.size;
  return bytes;
}

bool always(const Facts&) { return true; }
bool commutative(const Facts& f) { return f.commutative; }
bool power_of_two(const Facts& f) { return is_power_of_two(f.ranks); }
bool in_place(const Facts& f) { return f.in_place; }
bool two_buffers(const Facts& f) { return !f.in_place; }

// Few ranks of one node: rounds cost more than messages.
bool near(const Facts& f) { return f.one_node && f.ranks <= 32; }
bool broadcast_near(const Facts& f) { return near(f) && (f.ranks <= 4 || vector_bytes(f) >= 4 * KiB); }
bool reduce_near(const Facts& f) { return near(f) && f.ranks > 1 && vector_bytes(f) >= 8 * KiB && f.receive_count >= f.ranks; }
bool gathered_near(const Facts& f) { return near(f) && total_bytes(f) / f.ranks >= KiB; }

bool broadcast_long(const Facts& f) { return f.ranks > 2 && vector_bytes(f) >= 64 * KiB && vector_bytes(f) / f.ranks >= 2 * KiB; }
bool broadcast_very_long(const Facts& f) { return f.ranks > 2 && vector_bytes(f) >= 512 * KiB && vector_bytes(f) / f.ranks >= 128 * KiB; }
// Halving needs at least an element for each rank to be worth its rounds.
bool reduce_long(const Facts& f) { return f.ranks > 2 && vector_bytes(f) >= 32 * KiB && f.receive_count >= f.ranks; }
bool allreduce_long(const Facts& f) { return f.ranks > 1 && vector_bytes(f) >= 16 * KiB && f.receive_count >= f.ranks; }
bool allreduce_very_long(const Facts& f) {
  return f.ranks > 2 && vector_bytes(f) / f.ranks >= (is_power_of_two(f.ranks) ? 4096 * KiB : 16 * KiB);
}
bool short_block(const Facts& f) { return block_bytes(f) <= 2 * KiB; }
bool short_total(const Facts& f) { return total_bytes(f) <= std::max<std::int64_t>(64 * KiB, f.ranks * KiB); }
bool middle_total(const Facts& f) { return total_bytes(f) <= 512 * KiB; }
bool tiny_block(const Facts& f) { return f.ranks > 8 && block_bytes(f) <= 256 && block_bytes(f) * f.ranks <= 256 * KiB; }
bool scattered_short(const Facts& f) { return total_bytes(f) <= 8 * KiB; }
bool scattered_middle(const Facts& f) { return total_bytes(f) <= 512 * KiB; }

constexpr Algorithm table[] = {
    {Collective::barrier, "dissemination", plan_barrier_dissemination, always, always},
    {Collective::broadcast, "linear", plan_broadcast_linear, always, broadcast_near},
    {Collective::broadcast, "chain", plan_broadcast_chain, always, broadcast_very_long},
    {Collective::broadcast, "scatter-allgather", plan_broadcast_scatter_allgather, always, broadcast_long},
    {Collective::broadcast, "binomial", plan_broadcast_binomial, always, always},
    {Collective::reduce, "spread", plan_reduce_spread, always, reduce_near},
    {Collective::reduce, "halving", plan_reduce_halving, always, reduce_long},
    {Collective::reduce, "binomial", plan_reduce_binomial, always, always},
    {Collective::allreduce, "spread", plan_allreduce_spread, always, reduce_near},
    {Collective::allreduce, "ring", plan_allreduce_ring, commutative, allreduce_very_long},
    {Collective::allreduce, "halving", plan_allreduce_halving, always, allreduce_long},
    {Collective::allreduce, "doubling", plan_allreduce_doubling, always, always},
    {Collective::gather, "binomial", plan_gather_binomial, always, short_block},
    {Collective::gather, "linear", plan_gather_linear, always, always},
    {Collective::gatherv, "linear", plan_gather_linear, always, always},
    {Collective::scatter, "binomial", plan_scatter_binomial, always, short_block},
    {Collective::scatter, "linear", plan_scatter_linear, always, always},
    {Collective::scatterv, "linear", plan_scatter_linear, always, always},
    {Collective::allgather, "spread", plan_allgather_spread, always, gathered_near},
    {Collective::allgather, "doubling", plan_allgather_doubling, power_of_two, middle_total},
    {Collective::allgather, "bruck", plan_allgather_bruck, always, short_total},
    {Collective::allgather, "ring", plan_allgather_ring, always, always},
    {Collective::allgatherv, "spread", plan_allgather_spread, always, gathered_near},
    {Collective::allgatherv, "bruck", plan_allgather_bruck, always, short_total},
    {Collective::allgatherv, "ring", plan_allgather_ring, always, always},
    // In place is the same on all ranks of an alltoall.
    {Collective::alltoall, "in-place", plan_alltoall_in_place, in_place, always},
    {Collective::alltoall, "bruck", plan_alltoall_bruck, two_buffers, tiny_block},
    {Collective::alltoall, "pairwise", plan_alltoall_pairwise, two_buffers, always},
    {Collective::alltoallv, "in-place", plan_alltoall_in_place, in_place, always},
    {Collective::alltoallv, "pairwise", plan_alltoall_pairwise, two_buffers, always},
    {Collective::alltoallw, "in-place", plan_alltoall_in_place, in_place, always},
    {Collective::alltoallw, "pairwise", plan_alltoall_pairwise, two_buffers, always},
    {Collective::reduce_scatter, "doubling", plan_reduce_scatter_doubling, always, scattered_short},
    {Collective::reduce_scatter, "halving", plan_reduce_scatter_halving, commutative, scattered_middle},
    {Collective::reduce_scatter, "pairwise", plan_reduce_scatter_pairwise, always, always},
    {Collective::reduce_scatter_block, "doubling", plan_reduce_scatter_doubling, always, scattered_short},
    {Collective::reduce_scatter_block, "halving", plan_reduce_scatter_halving, commutative, scattered_middle},
    {Collective::reduce_scatter_block, "pairwise", plan_reduce_scatter_pairwise, always, always},
    {Collective::scan, "doubling", plan_scan_doubling, always, always},
    {Collective::exscan, "doubling", plan_scan_doubling, always, always},
};

}  // namespace

std::span<const Algorithm> algorithms() noexcept { return table; }

const Algorithm& choose(const Facts& facts) noexcept {
  for (const Algorithm& algorithm : table) {
    if (algorithm.collective == facts.collective && algorithm.able(facts) && algorithm.preferred(facts)) return algorithm;
  }
  os::require_failed("each collective has an algorithm for all facts", __FILE__, __LINE__);
}

}  // namespace weft::coll
