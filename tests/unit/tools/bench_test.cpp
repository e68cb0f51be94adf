// weft-bench's arithmetic: order statistics, sizes as people write them.
#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/settings.hpp"
#include "bench/statistics.hpp"

namespace weft::bench {
namespace {

using Sizes = std::vector<std::size_t>;

TEST(Statistics, SummaryOfAHundred) {
  std::vector<double> values;
  for (int i = 99; i >= 0; --i) values.push_back(i);
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.median, 50);
  EXPECT_EQ(summary.p10, 10);
  EXPECT_EQ(summary.p99, 99);
}

TEST(Statistics, OfNothingAndOfOne) {
  EXPECT_EQ(summarize({}).median, 0);
  EXPECT_EQ(summarize({7}).p99, 7);
}

TEST(Statistics, RatioIsOfPairs) {
  // The machine became ten times slower half way: both sides did, so the ratio stays.
  const std::vector<double> values = {20, 20, 200, 200, 200}, limits = {10, 10, 100, 100, 100};
  EXPECT_EQ(median_ratio(values, limits), 2);
  const std::vector<double> none = {0, 0, 0, 0, 0};
  EXPECT_EQ(median_ratio(values, none), 0);
}

TEST(Sizes, ListsSuffixesAndRanges) {
  EXPECT_EQ(parse_sizes("8"), (Sizes{8}));
  EXPECT_EQ(parse_sizes("0,4k,1M"), (Sizes{0, 4096, 1048576}));
  EXPECT_EQ(parse_sizes("1:8,1k"), (Sizes{1, 2, 4, 8, 1024}));
  EXPECT_EQ(parse_sizes("0:4"), (Sizes{0, 1, 2, 4}));
}

TEST(Sizes, RejectsWhatIsNoSize) {
  for (const char* text : {"", "8x", "-1", "1:", "k", "4kk", "2G", "8,,9"})
    EXPECT_THROW(parse_sizes(text), std::invalid_argument) << text;
}

TEST(Sizes, AsText) {
  EXPECT_EQ(size_text(0), "0");
  EXPECT_EQ(size_text(1000), "1000");
  EXPECT_EQ(size_text(4096), "4k");
  EXPECT_EQ(size_text(1048576), "1M");
}

}  // namespace
}  // namespace weft::bench
