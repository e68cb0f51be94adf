// weft-bench's arithmetic: order statistics, sizes as people write them.
#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/histogram.hpp"
#include "bench/records.hpp"
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

TEST(Histogram, PercentilesWithinAPercent) {
  Histogram times;
  for (int i = 1; i <= 100'000; ++i) times.add(i);
  EXPECT_EQ(times.count(), 100'000U);
  for (const double fraction : {0.001, 0.1, 0.5, 0.99, 0.999}) {
    const double exact = fraction * 100'000;
    EXPECT_NEAR(times.percentile_ns(fraction), exact, exact / 100) << fraction;
  }
}

TEST(Histogram, SmallTimesAreExactAndLargeOnesAreKept) {
  Histogram times;
  for (const double value : {0.0, 17.0, 255.0, 256.0, 1e18}) times.add(value);
  EXPECT_EQ(times.percentile_ns(0.2), 0);
  EXPECT_EQ(times.percentile_ns(0.4), 17);
  EXPECT_EQ(times.percentile_ns(0.6), 255);
  EXPECT_NEAR(times.percentile_ns(0.8), 256, 1);
  EXPECT_GT(times.percentile_ns(1), 1e12);
  EXPECT_EQ(Histogram().percentile_ns(0.5), 0);
}

TEST(Histogram, BucketsOfRanksAddUp) {
  Histogram all, one, other;
  for (int i = 0; i < 3; ++i) one.add(100);
  other.add(5000);
  for (Histogram* part : {&one, &other})
    for (std::size_t i = 0; i < all.buckets().size(); ++i) all.buckets()[i] += part->buckets()[i];
  EXPECT_EQ(all.count(), 4U);
  EXPECT_EQ(all.percentile_ns(0.75), 100);
  EXPECT_NEAR(all.percentile_ns(0.76), 5000, 50);
}

TEST(Records, TheUnionOfColumnsAndWhatIsNotKnown) {
  const Records records = Records::array({{{"name", "a"}, {"rate", 1234567.8}, {"lost", nullptr}}, {{"name", "b,\"c\""}, {"us", 0.25}}});
  EXPECT_EQ(records_as_csv(records), "name,rate,lost,us\na,1234568,,\n\"b,\"\"c\"\"\",,,0.25\n");
  EXPECT_EQ(records_as_table(records), " name     rate  lost    us\n    a  1234568     -     -\nb,\"c\"        -     -  0.25\n");
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
