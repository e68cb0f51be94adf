// The ways of an object's members: one atomic domain whatever they come by.
#include <gtest/gtest.h>

#include <vector>

#include "remote/way.hpp"

namespace weft::remote {
namespace {

// Fabrics of these tests: 0 shm, 1 a card that is atomic with itself only, 2 one whose atomics are the CPU's, 3 without any.
constexpr std::int32_t card = 1, cpu = 2, bare = 3;
constexpr Reach home_with_card{Reach::mapped, 1u << card | 1u << cpu, 1u << card};
constexpr Reach mate_with_card = home_with_card;
constexpr Reach mate_without{Reach::mapped, 0, 0};
constexpr Reach far_by_card{card, 1u << card | 1u << cpu, 1u << card};
constexpr Reach far_by_cpu{cpu, 1u << cpu, 0};
constexpr Reach far_by_bare{bare, 0, 0};

std::vector<Way> ways(const std::vector<Reach>& members, int home = 0) {
  const Plan plan = plan_ways(members, home);
  std::vector<Way> result;
  for (const Reach& member : members) result.push_back(plan.way_of(member));
  return result;
}

using enum Way;

TEST(Way, OneNodeMapsTheWords) {
  EXPECT_EQ(ways({home_with_card, mate_with_card, mate_without}), (std::vector{memory, memory, memory}));
  EXPECT_TRUE(plan_ways(std::vector{home_with_card, mate_with_card}, 0).mates);
  EXPECT_FALSE(plan_ways(std::vector{home_with_card, far_by_card}, 0).mates);
}

TEST(Way, ACardThatIsAtomicWithItselfTakesAllOrNobody) {
  EXPECT_EQ(ways({home_with_card, mate_with_card, far_by_card}), (std::vector{endpoint, endpoint, endpoint}));
  EXPECT_EQ(plan_ways(std::vector{home_with_card, mate_with_card, far_by_card}, 0).fabric_of(mate_with_card), card);
  EXPECT_EQ(ways({home_with_card, mate_without, far_by_card}), (std::vector{memory, memory, served}));
  EXPECT_EQ(ways({mate_without, far_by_card}), (std::vector{memory, served}));            // the home has no way to itself
  EXPECT_EQ(ways({home_with_card, far_by_card, far_by_bare}), (std::vector{memory, served, served}));
  EXPECT_EQ(ways({home_with_card, far_by_card, far_by_cpu}), (std::vector{memory, served, endpoint}));
}

TEST(Way, AtomicsOfTheHomesCpuMixWithItsOwn) {
  EXPECT_EQ(ways({home_with_card, mate_without, far_by_cpu, far_by_bare}), (std::vector{memory, memory, endpoint, served}));
  EXPECT_EQ(ways({far_by_cpu, home_with_card, far_by_bare}, 1), (std::vector{endpoint, memory, served}));
}

// No mixture has a card's atomics beside the CPU's.
TEST(Way, NoMixtureHasTwoDomains) {
  const Reach kinds[] = {home_with_card, mate_without, far_by_card, far_by_cpu, far_by_bare};
  for (int code = 0; code < 5 * 5 * 5 * 2; ++code) {
    const std::vector<Reach> members{kinds[code % 2], kinds[code / 2 % 5], kinds[code / 10 % 5], kinds[code / 50 % 5]};
    const Plan plan = plan_ways(members, 0);
    int by_card = 0, by_cpu = 0;
    for (const Reach& member : members) {
      const bool through_card = plan.way_of(member) == endpoint && (member.port_scope >> plan.fabric_of(member) & 1) != 0;
      ++(through_card ? by_card : by_cpu);
      EXPECT_TRUE(plan.way_of(member) != endpoint || (member.atomics >> plan.fabric_of(member) & 1) != 0) << code;
    }
    EXPECT_TRUE(by_card == 0 || by_cpu == 0) << code;
  }
}

}  // namespace
}  // namespace weft::remote
