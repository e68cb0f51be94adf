// weft-bench paper without jobs: plots, claims and the page from records as the experiments write them.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/paper/claims.hpp"
#include "bench/paper/figures.hpp"
#include "bench/paper/page.hpp"
#include "bench/paper/plot.hpp"

namespace weft::bench::paper {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t place = text.find(part); place != std::string::npos; place = text.find(part, place + 1)) ++found;
  return found;
}

Measurement paradigms_measured() {
  Measurement measured;
  measured.plan.key = "paradigms";
  measured.command = "weftrun -n 3 --paradigm PARADIGM weft-bench paradigms";
  const auto add = [&](const char* paradigm, int clients, double rate, double p50_us) {
    measured.records.push_back({{"paradigm", paradigm}, {"clients", clients}, {"requests/s", rate}, {"p50 us", p50_us}, {"p99 us", 2 * p50_us}});
  };
  add("write-write", 1, 1000, 10);
  add("write-read", 1, 500, 20);
  add("write-write", 2, 1000, 20);
  add("write-read", 2, 2500, 8);
  measured.notes = {"read-read: not offered by this fabric (<no read>)"};
  return measured;
}

TEST(Plot, TicksAreRoundAndEncloseTheValues) {
  EXPECT_EQ(linear_ticks(0, 10), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(log_ticks(3, 900), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(log_ticks(3, 30), (std::vector<double>{2, 5, 10, 20, 50}));
  for (const double high : {0.003, 0.7, 1.0, 99.0, 123456.0}) {
    const std::vector<double> linear = linear_ticks(0, high), logarithmic = log_ticks(high / 7, high);
    EXPECT_GE(linear.back(), high);
    EXPECT_LE(linear.size(), 12U);
    EXPECT_LE(logarithmic.front(), high / 7 * 1.0001);   // a tick may be the value itself
    EXPECT_GE(logarithmic.back(), high);
  }
}

TEST(Plot, LinesAndBarsDrawEveryPoint) {
  const Plot lines{"bytes", "us", true, true, {}, {{"a<b", {{1, 2}, {64, 3}, {4096, 50}}}, {"c", {{1, 1}, {64, 0}}}}};
  const std::string drawn = draw(lines);
  EXPECT_EQ(count(drawn, "<polyline"), 2U);
  EXPECT_EQ(count(drawn, "<circle"), 4U) << "nothing below or at zero has a place on a logarithmic axis";
  EXPECT_NE(drawn.find("a&lt;b"), std::string::npos);
  EXPECT_EQ(count(drawn, "nan") + count(drawn, "inf'"), 0U);
  const Plot bars{"operation", "us", false, false, {"SEND", "READ"}, {{"RC", {{0, 2}, {1, 4}}}}};
  EXPECT_EQ(count(draw(bars), "<rect"), 2U);
  EXPECT_EQ(count(draw(Plot{}), "<svg"), 1U);
}

TEST(Plot, ShortNumbers) {
  EXPECT_EQ(short_number(64), "64");
  EXPECT_EQ(short_number(4096), "4096");
  EXPECT_EQ(short_number(65536), "65.5k");
  EXPECT_EQ(short_number(2.5e6), "2.5M");
}

TEST(Figures, SeriesAreToldApartByTheirColumns) {
  const auto fig13 = std::find_if(figures().begin(), figures().end(), [](const Figure& one) { return one.key == "fig13"; });
  const Plot plot = plot_of(*fig13, paradigms_measured().records);
  ASSERT_EQ(plot.series.size(), 2U);
  EXPECT_EQ(plot.series[1].name, "write-read");
  EXPECT_EQ(plot.series[1].points, (std::vector<std::pair<double, double>>{{1, 500}, {2, 2500}}));
}

TEST(Figures, EachStandsOnAPlannedMeasurement) {
  PaperSettings settings;
  for (const bool quick : {false, true}) {
    settings.quick = quick;
    const std::vector<MeasurementPlan> plans = plan_measurements(settings);
    for (const Figure& figure : figures())
      EXPECT_TRUE(std::any_of(plans.begin(), plans.end(), [&](const auto& plan) { return plan.key == figure.measurement; })) << figure.key;
  }
}

TEST(Claims, RatiosAreOfLikeWithLikeFromTheLeastToTheMost) {
  const std::vector<Claim> claims = check_claims({paradigms_measured()});
  ASSERT_EQ(claims.size(), 4U);
  EXPECT_EQ(claims[0].holds, "ahead, but by less");
  EXPECT_EQ(claims[1].seen, "0.50x (write-write, 1 clients) to 2.50x (write-write, 2 clients), median 2.50x");
  EXPECT_EQ(claims[1].holds, "yes");
  EXPECT_EQ(claims[2].seen, "");
  EXPECT_EQ(claims[2].holds, "not measured");
  EXPECT_EQ(claims[3].holds, "no") << "with one client WRITE-READ is the slower one";
}

TEST(Claims, InlineAndTransportAtTheSameSize) {
  Measurement measured;
  measured.plan.key = "inline";
  const auto add = [&](const char* transport, const char* in_line, int bytes, double rate) {
    measured.records.push_back({{"operation", "SEND"}, {"transport", transport}, {"inline", in_line}, {"bytes", bytes}, {"ops/s", rate}});
  };
  add("RC", "off", 8, 100);
  add("UD", "on", 8, 420);
  add("RC", "off", 64, 10);
  const std::vector<Claim> claims = check_claims({measured});
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].seen, "4.20x (UD inline over RC, SEND of 8 bytes)");
  EXPECT_EQ(claims[0].holds, "yes") << "four fifths of what is claimed count as the same";
}

TEST(Claims, WeftBesideTheRawDevice) {
  Measurement raw, weft;
  raw.plan.key = "operations";
  raw.records.push_back({{"operation", "WRITE"}, {"p50 us", 100.0}});
  weft.plan.key = "beside";
  weft.records.push_back({{"paradigm", "write-write"}, {"operation", "latency"}, {"median", 110'000.0}});
  const std::vector<Claim> rows = compare_with_raw({raw, weft});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].seen, "1.10x (110.0 us over 100.0 us)");
  EXPECT_EQ(rows[0].holds, "yes");
}

TEST(Page, StandsAloneAndHidesNothing) {
  const std::vector<Measurement> measured = {paradigms_measured()};
  const std::string page = make_page({{"host", "a&b"}}, measured, check_claims(measured), {});
  for (const char* outside : {"http://", "https://", "src=", "@import", "<script", "<link"}) EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_NE(page.find("a&amp;b"), std::string::npos);
  EXPECT_NE(page.find("not offered by this fabric (&lt;no read&gt;)"), std::string::npos);
  EXPECT_EQ(count(page, "<svg"), 3U);   // figures 13, 14 and its tail
  EXPECT_EQ(count(page, "</html>"), 1U);
}

}  // namespace
}  // namespace weft::bench::paper
