// Facts: all a plan may know. A plan is a pure function of one call's facts to a schedule, so the same code runs in the
// engine and in a simulator without processes. Built by coll/collectives.cpp and by tests/plan; any thread.
#pragma once

#include <cstdint>

namespace weft::coll {

enum class Collective : std::uint8_t {
  barrier, broadcast, reduce, allreduce, gather, gatherv, scatter, scatterv, allgather, allgatherv,
  alltoall, alltoallv, alltoallw, reduce_scatter, reduce_scatter_block, scan, exscan,
};
inline constexpr int collectives = 17;
const char* name_of(Collective collective) noexcept;      // "broadcast"

// What a plan needs of a datatype, in bytes.
struct TypeFacts {
  std::int64_t size = 1;               // data of one element
  std::int64_t extent = 1;             // from one element to the next
  std::int64_t true_lower_bound = 0;   // from the address to the first byte of data
  std::int64_t true_extent = 1;        // from the first byte of data past the last
  bool contiguous = true;              // n elements are n * size consecutive bytes
};

// Counts or displacements as the caller has them, int or 64 bit.
class Integers {
 public:
  Integers() = default;
  explicit Integers(const int* values) noexcept : narrow_(values) {}
  explicit Integers(const std::int64_t* values) noexcept : wide_(values) {}
  std::int64_t operator[](int index) const noexcept { return wide_ ? wide_[index] : narrow_[index]; }
  explicit operator bool() const noexcept { return wide_ || narrow_; }

 private:
  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

// A broadcast has its data in the receive fields on every rank. Reductions have their type and count in the receive
// fields on every rank, root or not. `in_place` speaks for this rank only, so no choice among algorithms may look at it.
struct Facts {
  Collective collective = Collective::barrier;
  int ranks = 1;
  int rank = 0;
  int root = 0;
  bool in_place = false;
  bool commutative = true;
  bool one_node = false;               // all ranks share memory: messages are cheap, rounds are not
  std::int64_t send_count = 0;
  std::int64_t receive_count = 0;
  TypeFacts send_type, receive_type;
  Integers send_counts, send_displacements;         // displacements: elements, for alltoallw bytes
  Integers receive_counts, receive_displacements;
  const TypeFacts* send_types = nullptr;            // alltoallw, one for each peer
  const TypeFacts* receive_types = nullptr;
};

}  // namespace weft::coll
