// Hosts as users write them, and which rank goes where.
#include <gtest/gtest.h>

#include "launcher/job_map.hpp"

namespace weft::launcher {
namespace {

std::string names(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) text += host.name + ":" + std::to_string(host.slots) + " ";
  return text;
}

std::string parsed(const char* text) {
  std::vector<Host> hosts;
  const Done done = parse_hosts(text, hosts);
  return done ? names(hosts) : "? " + done.failure().note;
}

TEST(Hosts, AsTyped) {
  EXPECT_EQ(parsed("a"), "a:1 ");
  EXPECT_EQ(parsed("a:2,b,node-3.example.org:16"), "a:2 b:1 node-3.example.org:16 ");
  EXPECT_EQ(parsed("a,b,a:3"), "a:4 b:1 ");
  EXPECT_EQ(parsed("me@a:2"), "me@a:2 ");
  EXPECT_EQ(parsed("[fe80::1]:2,[::1]"), "[fe80::1]:2 [::1]:1 ");
  for (const char* wrong : {"", "a,", "a:", "a:0", "a:-1", "a:x", "a:99999999", ":2", "a b", "a;b", "$a", "-a", "a'"})
    EXPECT_EQ(parsed(wrong)[0], '?') << wrong;
}

TEST(Hosts, ThisMachine) {
  EXPECT_TRUE(is_this_machine("localhost"));
  EXPECT_TRUE(is_this_machine(own_host_name()));
  EXPECT_FALSE(is_this_machine("no-such-machine"));
}

// "0011": the host of each rank.
std::string mapped(const char* hosts, int ranks, const char* map_by = nullptr) {
  JobRequest request;
  Program program;
  program.command = {"x"};
  program.ranks = ranks;
  EXPECT_TRUE(parse_hosts(hosts, program.hosts));
  if (map_by != nullptr) { EXPECT_TRUE(parse_map_by(map_by, request.policy)); }
  request.programs = {program};
  const Expected<JobMap> map = map_job(request);
  if (!map) return "?";
  std::string text;
  for (const RankPlace& place : map->ranks) text += map->hosts[static_cast<std::size_t>(place.host)];
  return text;
}

TEST(JobMap, FillsSlotsAndStartsOver) {
  EXPECT_EQ(mapped("a:2,b:2", 4), "aabb");
  EXPECT_EQ(mapped("a:2,b:2", 3), "aab");
  EXPECT_EQ(mapped("a:1,b:2", 7), "abbabba");
  EXPECT_EQ(mapped("a:2,b:2", 1), "a");
}

TEST(JobMap, DealsByNode) {
  EXPECT_EQ(mapped("a:2,b:2", 4, "node"), "abab");
  EXPECT_EQ(mapped("a:1,b:3", 4, "node"), "abbb");
  EXPECT_EQ(mapped("a:4,b:4", 4, "ppr:2:node"), "aabb");
  EXPECT_EQ(mapped("a:4,b:4", 5, "ppr:2:node"), "?");
  EXPECT_EQ(mapped("a:2,b:2", 4, "core"), "aabb");
}

TEST(JobMap, HostsWithoutRanksAreNoPartOfIt) {
  JobRequest request;
  Program first, second;
  first.ranks = 1;
  first.hosts = {{"a", 4}, {"b", 4}};
  second.ranks = 2;
  second.hosts = {{"c", 1}, {"b", 1}};
  request.programs = {first, second};
  const Expected<JobMap> map = map_job(request);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->hosts, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(map->ranks_of(0), std::vector<int>{0});
  EXPECT_EQ(map->ranks_of(2), std::vector<int>{1});
  EXPECT_EQ(map->ranks_of(1), std::vector<int>{2});
  EXPECT_EQ(map->ranks[2].rank_in_program, 1);
  EXPECT_EQ(map->slots, 9);
  request.programs.pop_back();
  EXPECT_EQ(map_job(request)->hosts, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace weft::launcher
