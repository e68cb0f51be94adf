// Reduce_scatter(_block) by shifts: in shift k every rank sends the block of rank + k and receives its own of rank - k.
// p - 1 latencies + n bytes + n operations; scratch of a few blocks. For long blocks, and in the order of ranks: shifts
// bring first the lower ranks, descending, then the higher ones, descending; each run is prepended to a sum of its own.
// Source: the pairwise exchange of Thakur, Rabenseifner, Gropp, 2005; two sums make it good for any operation.
#include "coll/plan.hpp"

namespace weft::coll {

namespace {

std::int64_t start_of(const Facts& facts, int rank) {
  if (!facts.receive_counts) return rank * facts.receive_count;
  std::int64_t first = 0;
  for (int before = 0; before < rank; ++before) first += facts.receive_counts[before];
  return first;
}

}  // namespace

void plan_reduce_scatter_pairwise(const Facts& facts, Schedule& schedule) {
  const int ranks = facts.ranks, rank = facts.rank;
  const std::int64_t own = scattered_count(facts, rank);
  const Region input = reduction_input(facts);
  const auto fresh = [&](bool needed) {
    return schedule.scratch_elements(facts.receive_type, Unit::receive_type, needed ? own : 0);
  };
  const Place final = receive_region(facts).elements(0, own);
  const bool in_place = facts.in_place && ranks > 1;
  const Place low = in_place ? fresh(true).elements(0, own) : final;
  const Place high = fresh(rank + 1 < ranks).elements(0, own);
  const Place landings[2] = {fresh(ranks > 2).elements(0, own), fresh(ranks > 1).elements(0, own)};
  if (!facts.in_place || in_place) schedule.copy(input.elements(start_of(facts, rank), own), low);

  Place arrived;                                  // of the shift before: reduced while the next one travels
  const Place* sum = nullptr;
  std::int64_t first = start_of(facts, rank);
  for (int shift = 1; shift < ranks; ++shift) {
    const int target = wrap(rank + shift, ranks), source = wrap(rank - shift, ranks);
    first = target == 0 ? 0 : first + scattered_count(facts, target - 1);
    const bool opens_high = source == ranks - 1 && rank + 1 < ranks;
    const Place landing = opens_high ? high : landings[shift % 2];
    schedule.receive(source, landing);
    schedule.send(target, input.elements(first, scattered_count(facts, target)));
    if (sum) schedule.reduce(arrived, *sum);
    schedule.wait();
    arrived = landing;
    sum = opens_high ? nullptr : source < rank ? &low : &high;
  }
  if (sum) schedule.reduce(arrived, *sum);
  if (rank + 1 < ranks) append(facts, low, high, schedule);
  if (in_place) schedule.copy(low, final);
}

}  // namespace weft::coll
