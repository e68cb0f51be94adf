// The report of channels as text.
#include <gtest/gtest.h>

#include "match/report.hpp"

namespace weft::match {
namespace {

TEST(Report, SmallJobsAreAMatrix) {
  const std::vector<std::string> lines = matrix_lines({{"self", "shm"}, {"shm", "self"}});
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[1], "       0  1");
  EXPECT_EQ(lines[2], "    0  a  b");
  EXPECT_EQ(lines[3], "    1  b  a");
  EXPECT_EQ(lines[4], "a  self");
  EXPECT_EQ(lines[5], "b  shm");
}

TEST(Report, LargeJobsAreRanges) {
  std::vector<std::vector<std::string>> rows;
  for (int rank = 0; rank < 100; ++rank) {
    rows.emplace_back(100, rank < 50 ? "tcp" : "shm");
    for (int peer = 0; peer < 50; ++peer) rows.back()[static_cast<std::size_t>(peer)] = rank < 50 ? "shm" : "tcp";
  }
  const std::vector<std::string> lines = matrix_lines(rows);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1], "0-49: 0-49 a, 50-99 b");
  EXPECT_EQ(lines[2], "50-99: 0-49 b, 50-99 a");
}

}  // namespace
}  // namespace weft::match
