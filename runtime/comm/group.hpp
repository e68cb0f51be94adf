// A group: an ordered set of processes, by world rank. Immutable and reference counted, so that communicators, their
// program handles and windows share one. All algebra is linear in the sizes (a table indexed by world rank, or a sorted
// copy for small groups of a large world). Called by api and comm, under the runtime lock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/object.hpp"

namespace weft::comm {

class Group {
 public:
  static constexpr std::uint32_t magic_value = 0x57477270;
  std::uint32_t magic = magic_value;
  int references = 1;
  int handles = 0;                     // of them, how many the program holds; without any, its handle reads as freed
  int my_rank = -1;                    // -1: this process is not a member
  std::vector<int> members;            // world ranks, in group order

  int size() const noexcept { return static_cast<int>(members.size()); }
};

Group& empty_group() noexcept;
Group* make_group(std::vector<int> members);          // one reference; the empty group is always empty_group()
void retain(Group& group) noexcept;
void release(Group& group) noexcept;
Group& give_handle(Group& group) noexcept;            // the program gets a reference of its own
void take_handle(Group& group) noexcept;              // and gives it back

enum class GroupOrder : std::uint8_t { identical, similar, unequal };
GroupOrder compare(const Group& a, const Group& b);
// The rank in `to` of each rank in `from`; absent: a member of `from` only. Ranks must be in range.
void translate(const Group& from, std::span<const int> ranks, const Group& to, int* out, int absent, int null_rank);
int rank_in(const Group& group, int world_rank);      // -1 when not a member

Group* group_union(const Group& a, const Group& b);
Group* group_intersection(const Group& a, const Group& b);
Group* group_difference(const Group& a, const Group& b);
Group* group_include(const Group& group, std::span<const int> ranks);
Group* group_exclude(const Group& group, std::span<const int> ranks);

// Ranks of ranges (first, last, stride), as MPI_Group_range_incl reads them, appended to `ranks`. Returns -1, or the number
// of the first range that leaves the group, leads nowhere or names a rank a second time.
int expand_ranges(const Group& group, std::span<const int[3]> ranges, std::vector<int>& ranks);

}  // namespace weft::comm
