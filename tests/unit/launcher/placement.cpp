// Mapping and binding on machines that aren't there: hwloc makes them up from a description.
#include "launcher/placement.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

namespace {

using namespace weft;
using namespace weft::launcher;
using os::Cpus;

// Two packages of one NUMA node, one L3, four cores of two threads: CPUs 0..15, core i has CPUs 2i and 2i+1.
constexpr const char* two_packages = "pack:2 [numa] l3:1 core:4 pu:2";

std::vector<os::Core> cores_of(const char* description) {
  (void)::setenv("HWLOC_SYNTHETIC", description, 1);
  auto topology = os::Topology::load();
  (void)::unsetenv("HWLOC_SYNTHETIC");
  EXPECT_TRUE(topology) << topology.failure().note;
  EXPECT_FALSE(topology->real());
  return topology->cores();
}

std::vector<int> all_of(const std::vector<os::Core>& cores) {
  std::vector<int> indices(cores.size());
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

Placement placed(const std::vector<os::Core>& cores, int ranks, const char* map_by, const char* bind_to, int quota = 0) {
  Policy policy;
  EXPECT_TRUE(map_by == nullptr || parse_map_by(map_by, policy));
  EXPECT_TRUE(bind_to == nullptr || parse_bind_to(bind_to, policy));
  auto placement = place(cores, all_of(cores), quota, ranks, policy);
  EXPECT_TRUE(placement) << placement.failure().note;
  EXPECT_EQ(placement->cpus.size(), static_cast<std::size_t>(ranks));
  return *placement;
}

TEST(Topology, ReadsASyntheticMachine) {
  const auto cores = cores_of(two_packages);
  ASSERT_EQ(cores.size(), 8u);
  EXPECT_EQ(cores[5].cpus, (Cpus{10, 11}));
  EXPECT_EQ(cores[3].package, 0);
  EXPECT_EQ(cores[4].package, 1);
  EXPECT_EQ(cores[4].numa, 1);
  EXPECT_EQ(cores[4].l3, 1);
}

TEST(Topology, ReadsThisMachineWithinTheAllowedSet) {
  auto topology = os::Topology::load();
  ASSERT_TRUE(topology);
  EXPECT_TRUE(topology->real());
  Cpus all;
  for (const os::Core& core : topology->cores()) all.insert(all.end(), core.cpus.begin(), core.cpus.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, os::allowed_cpus());
}

TEST(Cpus, AreWrittenAsRanges) {
  EXPECT_EQ(os::format_cpus({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(os::format_cpus({}), "none");
}

TEST(Placement, SharesOutCores) {
  const auto cores = cores_of(two_packages);
  const Placement two = placed(cores, 2, nullptr, nullptr);
  EXPECT_TRUE(two.bound);
  EXPECT_FALSE(two.shared);
  EXPECT_EQ(two.cpus[0], (Cpus{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(two.cpus[1], (Cpus{8, 9, 10, 11, 12, 13, 14, 15}));
  const Placement three = placed(cores, 3, nullptr, nullptr);
  EXPECT_EQ(three.cpus[0].size(), 6u);
  EXPECT_EQ(three.cpus[2], (Cpus{12, 13, 14, 15}));
  for (int rank = 0; rank < 8; ++rank)
    EXPECT_EQ(placed(cores, 8, nullptr, nullptr).cpus[static_cast<std::size_t>(rank)], (Cpus{2 * rank, 2 * rank + 1}));
}

TEST(Placement, DoesNotBindMoreRanksThanCores) {
  const auto cores = cores_of(two_packages);
  const Placement nine = placed(cores, 9, nullptr, nullptr);
  EXPECT_FALSE(nine.bound);
  EXPECT_TRUE(nine.shared);
  EXPECT_TRUE(nine.cpus[0].empty());
  EXPECT_TRUE(placed(cores, 8, "core:PE=2", nullptr).shared);
}

TEST(Placement, HonoursAQuota) {
  const auto cores = cores_of(two_packages);
  EXPECT_TRUE(placed(cores, 4, nullptr, nullptr, 2).shared);
  EXPECT_FALSE(placed(cores, 2, nullptr, nullptr, 2).shared);
}

TEST(Placement, LeavesCoresOfOtherJobsAlone) {
  const auto cores = cores_of(two_packages);
  auto placement = place(cores, {2, 3, 6}, 0, 3, Policy{});
  ASSERT_TRUE(placement);
  EXPECT_EQ(placement->cpus, (std::vector<Cpus>{{4, 5}, {6, 7}, {12, 13}}));
  placement = place(cores, {2}, 0, 2, Policy{});
  ASSERT_TRUE(placement);
  EXPECT_FALSE(placement->bound);
}

TEST(Placement, MapsByCoreAndThread) {
  const auto cores = cores_of(two_packages);
  EXPECT_EQ(placed(cores, 3, "core", nullptr).cpus, (std::vector<Cpus>{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(placed(cores, 3, "hwthread", nullptr).cpus, (std::vector<Cpus>{{0}, {1}, {2}}));
  EXPECT_EQ(placed(cores, 16, "hwthread", nullptr).cpus[15], (Cpus{15}));
  EXPECT_EQ(placed(cores, 2, "core", "hwthread").cpus, (std::vector<Cpus>{{0}, {2}}));
  EXPECT_EQ(placed(cores, 2, "core:PE=3", nullptr).cpus, (std::vector<Cpus>{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}));
}

TEST(Placement, GoesRoundObjects) {
  const auto cores = cores_of(two_packages);
  for (const char* level : {"socket", "numa", "l3"})
    EXPECT_EQ(placed(cores, 3, level, nullptr).cpus, (std::vector<Cpus>{{0, 1}, {8, 9}, {2, 3}})) << level;
  EXPECT_EQ(placed(cores, 3, "numa:PE=2", nullptr).cpus, (std::vector<Cpus>{{0, 1, 2, 3}, {8, 9, 10, 11}, {4, 5, 6, 7}}));
}

TEST(Placement, PutsSomeOnEachObject) {
  const auto cores = cores_of(two_packages);
  EXPECT_EQ(placed(cores, 3, "ppr:2:socket", nullptr).cpus, (std::vector<Cpus>{{0, 1}, {2, 3}, {8, 9}}));
  EXPECT_EQ(placed(cores, 2, "ppr:1:l3:PE=2", nullptr).cpus, (std::vector<Cpus>{{0, 1, 2, 3}, {8, 9, 10, 11}}));
  Policy policy;
  ASSERT_TRUE(parse_map_by("ppr:2:socket", policy));
  const auto placement = place(cores, all_of(cores), 0, 5, policy);
  ASSERT_FALSE(placement);
  EXPECT_NE(placement.failure().note.find("5 ranks"), std::string::npos);
}

TEST(Placement, BindsToLargerObjects) {
  const auto cores = cores_of(two_packages);
  EXPECT_EQ(placed(cores, 2, "core", "socket").cpus[1], (Cpus{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(placed(cores, 2, "socket", "socket").cpus[1], (Cpus{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_FALSE(placed(cores, 2, nullptr, "none").bound);
}

TEST(Placement, SurvivesOddMachines) {
  for (const char* machine : {"pu:1", "core:3 pu:1", "pack:3 [numa(memory=1GB)] core:5 pu:4", "numa:2 pack:1 l3:2 core:2 pu:1"}) {
    const auto cores = cores_of(machine);
    for (int ranks = 1; ranks <= 20; ++ranks)
      for (const char* map_by : {"core", "hwthread", "l3", "numa", "socket", "node", "core:PE=2"})
        for (const Cpus& cpus : placed(cores, ranks, map_by, nullptr).cpus) EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
  }
}

TEST(Policy, SaysWhatIsWrong) {
  Policy policy;
  for (const char* bad : {"sofa", "", "core:PE", "core:PE=0", "core:XX=1", "ppr:2", "ppr:x:core", "ppr:2:sofa", "none"}) {
    const Done done = parse_map_by(bad, policy);
    ASSERT_FALSE(done) << bad;
    EXPECT_NE(done.failure().note.find("--map-by"), std::string::npos);
  }
  EXPECT_FALSE(parse_bind_to("sofa", policy));
}

}  // namespace
