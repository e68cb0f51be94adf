// The plans: one function an algorithm, each in a file of its name, and what they share: the regions of a call's buffers
// and the fold that makes a power of two of any rank count. All are pure functions; any thread.
#pragma once

#include "coll/facts.hpp"
#include "coll/schedule.hpp"

namespace weft::coll {

using Plan = void (*)(const Facts&, Schedule&);

void plan_barrier_dissemination(const Facts&, Schedule&);
void plan_broadcast_binomial(const Facts&, Schedule&);
void plan_broadcast_scatter_allgather(const Facts&, Schedule&);
void plan_broadcast_chain(const Facts&, Schedule&);
void plan_broadcast_linear(const Facts&, Schedule&);
void plan_reduce_binomial(const Facts&, Schedule&);
void plan_reduce_halving(const Facts&, Schedule&);
void plan_reduce_spread(const Facts&, Schedule&);
void plan_allreduce_doubling(const Facts&, Schedule&);
void plan_allreduce_halving(const Facts&, Schedule&);
void plan_allreduce_ring(const Facts&, Schedule&);          // commutative only
void plan_allreduce_spread(const Facts&, Schedule&);
void plan_gather_binomial(const Facts&, Schedule&);
void plan_gather_linear(const Facts&, Schedule&);           // also gatherv
void plan_scatter_binomial(const Facts&, Schedule&);
void plan_scatter_linear(const Facts&, Schedule&);          // also scatterv
void plan_allgather_doubling(const Facts&, Schedule&);      // powers of two only
void plan_allgather_bruck(const Facts&, Schedule&);         // also allgatherv
void plan_allgather_ring(const Facts&, Schedule&);          // also allgatherv
void plan_allgather_spread(const Facts&, Schedule&);       // also allgatherv
void plan_alltoall_bruck(const Facts&, Schedule&);          // not in place
void plan_alltoall_pairwise(const Facts&, Schedule&);       // also v and w; not in place
void plan_alltoall_in_place(const Facts&, Schedule&);       // also v and w; in place only
void plan_reduce_scatter_doubling(const Facts&, Schedule&); // block or not
void plan_reduce_scatter_halving(const Facts&, Schedule&);  // block or not; commutative only
void plan_reduce_scatter_pairwise(const Facts&, Schedule&); // block or not
void plan_scan_doubling(const Facts&, Schedule&);           // also exscan

// --- the call's buffers ---
inline Region send_region(const Facts& facts) noexcept {
  return {Space::send, Unit::send_type, -1, 0, facts.send_type};
}
inline Region receive_region(const Facts& facts) noexcept {
  return {Space::receive, Unit::receive_type, -1, 0, facts.receive_type};
}
// The input of a reduction: the send buffer, or the receive buffer when in place.
inline Region reduction_input(const Facts& facts) noexcept {
  return facts.in_place ? receive_region(facts) : Region{Space::send, Unit::receive_type, -1, 0, facts.receive_type};
}
// The block that goes to or comes from `peer`, whichever form the call has (uniform, v, w).
Place send_block(const Facts& facts, int peer) noexcept;
Place receive_block(const Facts& facts, int peer) noexcept;
// Bytes of rank's block of an allgather(v), elements and first element of rank's block of a reduce_scatter(_block).
std::int64_t gathered_bytes(const Facts& facts, int rank) noexcept;
std::int64_t scattered_count(const Facts& facts, int rank) noexcept;
// The whole of a broadcast's buffer as bytes: in the buffer itself when it is contiguous, else in scratch.
Region packed_broadcast(const Facts& facts, Schedule& schedule);
void pack_broadcast(const Facts& facts, const Region& packed, Schedule& schedule);      // the root, before
void unpack_broadcast(const Facts& facts, const Region& packed, Schedule& schedule);    // the others, after

inline int wrap(int rank, int ranks) noexcept { return rank < 0 ? rank + ranks : rank >= ranks ? rank - ranks : rank; }
constexpr bool is_power_of_two(int value) noexcept { return (value & (value - 1)) == 0; }
constexpr int power_of_two_below(int value) noexcept {      // the largest one <= value
  int power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

// The first 2 * surplus ranks pair up so that 2^k ranks stay active. Numbers of the active keep the order of ranks, and
// a pair's two ranks are neighbours, so operands stay in rank order. `favoured` is active whatever its place.
struct Fold {
  Fold(const Facts& facts, int favoured) noexcept;
  int rank_of(int number) const noexcept;         // active number -> rank
  int number_of(int rank) const noexcept;         // any rank -> number of its pair or its own
  bool folded(int rank) const noexcept { return rank < 2 * surplus; }
  int active_of_pair(int rank) const noexcept {
    return (rank ^ 1) == favoured || rank == favoured ? favoured : rank | 1;
  }

  int active_ranks, surplus, favoured;
  int number;                                     // mine; -1 when idle
  int pair = -1;                                  // the other of my pair, -1: none
};

// acc = acc (op) later: `later` holds data of higher ranks. When order is free the result is made in place.
void append(const Facts& facts, const Place& acc, const Place& later, Schedule& schedule);
// The input goes to the receive buffer unless it is there.
void load_input(const Facts& facts, std::int64_t count, const Region& to, Schedule& schedule);
// Allreduce and reduce_scatter by doubling: the region that holds the result on active ranks.
Region reduce_by_doubling(const Facts& facts, const Fold& fold, std::int64_t count, Region acc, Region other, Schedule& schedule);
// Allreduce and reduce by halving: the number of halvings; afterwards acc holds the result of halved(number, levels).
struct ElementRange {
  std::int64_t first, count;
};
ElementRange halved(int number, int levels, std::int64_t count) noexcept;
int reduce_by_halving(const Facts& facts, const Fold& fold, const Region& acc, const Region& other, Schedule& schedule);
// Folds: the idle one of a pair hands its data to the active one, which combines it into acc.
void fold_in(const Facts& facts, const Fold& fold, const Place& acc, const Place& other, Schedule& schedule);

}  // namespace weft::coll
