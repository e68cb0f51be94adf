// Group algebra. Membership is asked of a RankMap, which answers in constant time (dense) or by bisection (sparse).
#include "comm/group.hpp"

#include <algorithm>
#include <numeric>

#include "boot/job.hpp"

namespace weft::comm {
namespace {

constexpr std::size_t dense_factor = 16;      // world ranks per member up to which a plain table is the better map

// World rank -> rank in a group.
class RankMap {
 public:
  explicit RankMap(const Group& group) : members_(group.members) {
    const int highest = members_.empty() ? -1 : *std::max_element(members_.begin(), members_.end());
    const auto table_size = static_cast<std::size_t>(highest + 1);
    if (table_size <= dense_factor * (members_.size() + 16)) {
      table_.assign(table_size, -1);
      for (std::size_t i = 0; i < members_.size(); ++i) table_[static_cast<std::size_t>(members_[i])] = static_cast<int>(i);
      dense_ = true;
      return;
    }
    table_.resize(members_.size());
    std::iota(table_.begin(), table_.end(), 0);
    std::sort(table_.begin(), table_.end(), [this](int a, int b) { return member(a) < member(b); });
  }

  int find(int world_rank) const {
    if (dense_) return static_cast<std::size_t>(world_rank) < table_.size() ? table_[static_cast<std::size_t>(world_rank)] : -1;
    const auto at = std::lower_bound(table_.begin(), table_.end(), world_rank,
                                     [this](int rank, int wanted) { return member(rank) < wanted; });
    return at != table_.end() && member(*at) == world_rank ? *at : -1;
  }

 private:
  int member(int rank) const { return members_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& members_;
  std::vector<int> table_;       // dense: rank by world rank; else ranks ordered by world rank
  bool dense_ = false;
};

Group* select(const Group& from, auto&& keep) {
  std::vector<int> members;
  for (const int world_rank : from.members)
    if (keep(world_rank)) members.push_back(world_rank);
  return make_group(std::move(members));
}

}  // namespace

Group& empty_group() noexcept {
  static Group empty;
  return empty;
}

Group* make_group(std::vector<int> members) {
  if (members.empty()) return &empty_group();
  Group* group = Pool<Group>::make();
  group->members = std::move(members);
  group->my_rank = rank_in(*group, boot::job().rank);
  return group;
}

void retain(Group& group) noexcept { ++group.references; }   // of the empty group nobody counts down

void release(Group& group) noexcept {
  if (&group == &empty_group()) return;
  if (--group.references == 0) Pool<Group>::release(&group);
}

Group& give_handle(Group& group) noexcept {
  if (&group == &empty_group()) return group;
  ++group.references;
  ++group.handles;
  group.magic = Group::magic_value;
  return group;
}

void take_handle(Group& group) noexcept {
  if (&group == &empty_group()) return;
  if (--group.handles == 0) group.magic = 0;
  release(group);
}

GroupOrder compare(const Group& a, const Group& b) {
  if (&a == &b || a.members == b.members) return GroupOrder::identical;
  if (a.size() != b.size()) return GroupOrder::unequal;
  const RankMap map(b);
  const bool same = std::all_of(a.members.begin(), a.members.end(), [&](int rank) { return map.find(rank) >= 0; });
  return same ? GroupOrder::similar : GroupOrder::unequal;
}

int rank_in(const Group& group, int world_rank) {
  const auto at = std::find(group.members.begin(), group.members.end(), world_rank);
  return at == group.members.end() ? -1 : static_cast<int>(at - group.members.begin());
}

void translate(const Group& from, std::span<const int> ranks, const Group& to, int* out, int absent, int null_rank) {
  constexpr std::size_t few = 3;           // so few that a scan each is cheaper than a map
  const auto translate_all = [&](auto&& find) {
    for (const int rank : ranks) {
      const int there = rank == null_rank ? null_rank : find(from.members[static_cast<std::size_t>(rank)]);
      *out++ = rank != null_rank && there < 0 ? absent : there;
    }
  };
  if (ranks.size() <= few) {
    translate_all([&](int world_rank) { return rank_in(to, world_rank); });
    return;
  }
  const RankMap map(to);
  translate_all([&](int world_rank) { return map.find(world_rank); });
}

Group* group_union(const Group& a, const Group& b) {
  const RankMap in_a(a);
  std::vector<int> members = a.members;
  for (const int world_rank : b.members)
    if (in_a.find(world_rank) < 0) members.push_back(world_rank);
  return make_group(std::move(members));
}

Group* group_intersection(const Group& a, const Group& b) {
  const RankMap in_b(b);
  return select(a, [&](int world_rank) { return in_b.find(world_rank) >= 0; });
}

Group* group_difference(const Group& a, const Group& b) {
  const RankMap in_b(b);
  return select(a, [&](int world_rank) { return in_b.find(world_rank) < 0; });
}

Group* group_include(const Group& group, std::span<const int> ranks) {
  std::vector<int> members;
  members.reserve(ranks.size());
  for (const int rank : ranks) members.push_back(group.members[static_cast<std::size_t>(rank)]);
  return make_group(std::move(members));
}

Group* group_exclude(const Group& group, std::span<const int> ranks) {
  std::vector<bool> excluded(group.members.size());
  for (const int rank : ranks) excluded[static_cast<std::size_t>(rank)] = true;
  std::vector<int> members;
  for (std::size_t i = 0; i < excluded.size(); ++i)
    if (!excluded[i]) members.push_back(group.members[i]);
  return make_group(std::move(members));
}

int expand_ranges(const Group& group, std::span<const int[3]> ranges, std::vector<int>& ranks) {
  std::vector<bool> seen(group.members.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& [first, last, stride] = ranges[i];
    const int wrong = static_cast<int>(i);
    if (stride == 0 || (stride > 0 && first > last) || (stride < 0 && first < last)) return wrong;
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      if (rank < 0 || rank >= group.size() || seen[static_cast<std::size_t>(rank)]) return wrong;
      seen[static_cast<std::size_t>(rank)] = true;
      ranks.push_back(static_cast<int>(rank));
    }
  }
  return -1;
}

}  // namespace weft::comm
