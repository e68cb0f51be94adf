// Group algebra against sets worked out by hand and, for translate, against a plain search.
#include "comm/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace weft::comm {
namespace {

using Ranks = std::vector<int>;

class Groups : public testing::Test {
 protected:
  Group& make(Ranks members) {
    owned_.push_back(make_group(std::move(members)));
    return *owned_.back();
  }
  Group& own(Group* group) {
    owned_.push_back(group);
    return *group;
  }
  ~Groups() override {
    for (Group* group : owned_) release(*group);
  }

 private:
  std::vector<Group*> owned_;
};

TEST_F(Groups, UnionKeepsTheOrderOfTheFirstThenOfTheSecond) {
  EXPECT_EQ(own(group_union(make({3, 1}), make({0, 1, 5}))).members, (Ranks{3, 1, 0, 5}));
  EXPECT_EQ(own(group_union(empty_group(), make({4, 2}))).members, (Ranks{4, 2}));
}

TEST_F(Groups, IntersectionAndDifferenceFollowTheFirst) {
  Group& a = make({7, 0, 3, 9});
  Group& b = make({9, 3, 1});
  EXPECT_EQ(own(group_intersection(a, b)).members, (Ranks{3, 9}));
  EXPECT_EQ(own(group_difference(a, b)).members, (Ranks{7, 0}));
  EXPECT_EQ(&own(group_difference(a, a)), &empty_group());
}

TEST_F(Groups, IncludeTakesTheOrderGivenAndExcludeKeepsIt) {
  Group& group = make({10, 11, 12, 13});
  EXPECT_EQ(own(group_include(group, Ranks{3, 0})).members, (Ranks{13, 10}));
  EXPECT_EQ(own(group_exclude(group, Ranks{3, 0})).members, (Ranks{11, 12}));
}

TEST_F(Groups, CompareTellsOrderFromMembership) {
  EXPECT_EQ(compare(make({1, 2, 3}), make({1, 2, 3})), GroupOrder::identical);
  EXPECT_EQ(compare(make({1, 2, 3}), make({3, 1, 2})), GroupOrder::similar);
  EXPECT_EQ(compare(make({1, 2, 3}), make({3, 1, 4})), GroupOrder::unequal);
  EXPECT_EQ(compare(make({1, 2}), make({1, 2, 3})), GroupOrder::unequal);
}

TEST_F(Groups, MyRankIsWhereTheProcessStands) {
  EXPECT_EQ(make({2, 0}).my_rank, 1);        // a process without a launcher is world rank 0
  EXPECT_EQ(make({2, 1}).my_rank, -1);
}

TEST_F(Groups, RangesRunUpAndDown) {
  Group& group = make({0, 1, 2, 3, 4, 5, 6, 7});
  Ranks ranks;
  const int good[][3] = {{0, 4, 2}, {7, 5, -1}};
  EXPECT_EQ(expand_ranges(group, good, ranks), -1);
  EXPECT_EQ(ranks, (Ranks{0, 2, 4, 7, 6, 5}));
}

TEST_F(Groups, RangesThatLeaveRepeatOrLeadNowhereAreNamed) {
  Group& group = make({0, 1, 2, 3});
  Ranks ranks;
  const int outside[][3] = {{0, 1, 1}, {2, 4, 1}};
  EXPECT_EQ(expand_ranges(group, outside, ranks), 1);
  const int twice[][3] = {{0, 2, 1}, {2, 3, 1}};
  EXPECT_EQ(expand_ranges(group, twice, ranks), 1);
  const int still[][3] = {{0, 3, 0}};
  EXPECT_EQ(expand_ranges(group, still, ranks), 0);
  const int backwards[][3] = {{3, 0, 1}};
  EXPECT_EQ(expand_ranges(group, backwards, ranks), 0);
  const int to_the_brim[][3] = {{0, 2147483647, 1}};
  EXPECT_EQ(expand_ranges(group, to_the_brim, ranks), 0);
}

// Dense groups use a table, sparse ones of a large world bisection; few ranks a scan. All must agree with a search.
TEST_F(Groups, TranslateAgreesWithASearch) {
  std::mt19937 random(7);
  for (const int world : {1, 5, 64, 100'000}) {
    for (int round = 0; round < 20; ++round) {
      Ranks all(static_cast<std::size_t>(world));
      std::iota(all.begin(), all.end(), 0);
      std::shuffle(all.begin(), all.end(), random);
      Group& from = make(Ranks(all.begin(), all.begin() + std::min(world, 1 + round)));
      std::shuffle(all.begin(), all.begin() + std::min(world, 40), random);
      Group& to = make(Ranks(all.begin(), all.begin() + std::min(world, 30)));
      Ranks ranks(static_cast<std::size_t>(from.size()));
      std::iota(ranks.begin(), ranks.end(), 0);
      ranks.push_back(-3);
      Ranks there(ranks.size());
      translate(from, ranks, to, there.data(), -99, -3);
      for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
        const int expected = rank_in(to, from.members[i]);
        EXPECT_EQ(there[i], expected < 0 ? -99 : expected) << "world " << world << " round " << round << " rank " << i;
      }
      EXPECT_EQ(there.back(), -3);
    }
  }
}

TEST_F(Groups, AHandleGivenBackReadsAsFreedThoughOthersHoldTheGroup) {
  Group& group = make({0, 1});
  Group& handle = give_handle(group);
  EXPECT_EQ(handle.magic, Group::magic_value);
  take_handle(handle);
  EXPECT_NE(group.magic, Group::magic_value);
  EXPECT_EQ(group.members.size(), 2u);
  EXPECT_EQ(give_handle(group).magic, Group::magic_value);
  take_handle(group);
}

}  // namespace
}  // namespace weft::comm
