// Every algorithm in the table against every rank count 1..33: sizes 0, 1 and odd ones, every root (some for many ranks),
// types with gaps, in place, ordered operations. And the predicted cost at 100 000 ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "coll/choose.hpp"
#include "job.hpp"

namespace weft::plan_test {
namespace {

using coll::Algorithm;
using coll::Collective;

bool rooted(Collective c) {
  return c == Collective::broadcast || c == Collective::reduce || c == Collective::gather || c == Collective::gatherv ||
         c == Collective::scatter || c == Collective::scatterv;
}
bool reduces(Collective c) {
  return c == Collective::reduce || c == Collective::allreduce || c == Collective::reduce_scatter ||
         c == Collective::reduce_scatter_block || c == Collective::scan || c == Collective::exscan;
}

std::vector<int> roots_of(Collective collective, int ranks) {
  if (!rooted(collective)) return {0};
  std::vector<int> roots;
  for (int root = 0; root < ranks; ++root) {
    if (ranks <= 9 || root == 0 || root == 1 || root == ranks / 2 || root == ranks - 1) roots.push_back(root);
  }
  return roots;
}

std::string tried(const Algorithm& algorithm, const Call& call) {
  Job job(call);
  if (!algorithm.able(job.facts(0))) return {};
  std::string error = job.check(algorithm.plan);
  return error.empty() ? error : std::string(algorithm.name) + " " + describe(call) + ": " + error;
}

class EveryAlgorithm : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryAlgorithm, IsRightForEveryRankCount) {
  const Algorithm& algorithm = coll::algorithms()[GetParam()];
  int wrong = 0;
  for (int ranks = 1; ranks <= 33 && wrong < 5; ++ranks) {
    for (int root : roots_of(algorithm.collective, ranks)) {
      for (std::int64_t count : {0, 1, 3, 37}) {
        for (int variant = 0; variant < 8; ++variant) {
          const bool gaps = variant & 1, in_place = variant & 2, ordered = variant & 4;
          if (ranks > 16 && count != 37 && variant != 3 && variant != 7) continue;    // seconds
          if (ordered && !reduces(algorithm.collective)) continue;
          if (in_place && (algorithm.collective == Collective::broadcast || algorithm.collective == Collective::barrier)) continue;
          const Call call{algorithm.collective, ranks, root, count, gaps, in_place, !ordered, count == 3};
          const std::string error = tried(algorithm, call);
          EXPECT_EQ(error, "");
          if (!error.empty() && ++wrong >= 5) return;
        }
      }
    }
  }
}

std::string name_of_parameter(const ::testing::TestParamInfo<std::size_t>& info) {
  const Algorithm& algorithm = coll::algorithms()[info.param];
  std::string name = std::string(coll::name_of(algorithm.collective)) + "_" + algorithm.name;
  for (char& letter : name) letter = letter == '-' ? '_' : letter;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Plans, EveryAlgorithm, ::testing::Range<std::size_t>(0, coll::algorithms().size()), name_of_parameter);

// The chain cuts its segments at 64 KiB, so it needs a longer message to show its pipeline.
TEST(LongMessages, ChainAndWindowsAreRight) {
  for (const Algorithm& algorithm : coll::algorithms()) {
    for (bool gaps : {false, true}) {
      const Call call{algorithm.collective, 5, rooted(algorithm.collective) ? 2 : 0, 17'001, gaps, false, true};
      EXPECT_EQ(tried(algorithm, call), "");
    }
  }
}

TEST(Choice, AllRanksAgree) {
  for (int c = 0; c < coll::collectives; ++c) {
    for (int ranks : {1, 2, 3, 8, 13}) {
      for (std::int64_t count : {0, 1, 600, 20'000}) {
        for (bool in_place : {false, true}) {
          const auto collective = static_cast<Collective>(c);
          Job job({collective, ranks, rooted(collective) ? ranks - 1 : 0, count, true, in_place, true});
          for (int rank = 1; rank < ranks; ++rank) {
            EXPECT_STREQ(coll::choose(job.facts(rank)).name, coll::choose(job.facts(0)).name) << coll::name_of(collective);
          }
        }
      }
    }
  }
}

coll::Facts facts_at(Collective collective, int ranks, int rank, std::int64_t bytes) {
  coll::Facts facts;
  facts.collective = collective;
  facts.ranks = ranks;
  facts.rank = rank;
  facts.send_count = facts.receive_count = bytes;
  return facts;
}

TEST(Prediction, RoundsGrowWithTheLogarithmAt100000Ranks) {
  constexpr int ranks = 100'000;
  const struct { Collective collective; std::int64_t bytes, rounds; } expected[] = {
      {Collective::barrier, 0, 17}, {Collective::broadcast, 8, 18}, {Collective::reduce, 8, 18}, {Collective::allreduce, 8, 19},
      {Collective::allgather, 0, 17}, {Collective::scan, 8, 17},
  };
  for (const auto& e : expected) {
    for (int rank : {0, 1, 77'777, ranks - 1}) {
      coll::Schedule schedule;
      const coll::Facts facts = facts_at(e.collective, ranks, rank, e.bytes);
      coll::choose(facts).plan(facts, schedule);
      const coll::Cost cost = coll::predict(schedule, {});
      EXPECT_LE(cost.rounds, e.rounds) << coll::name_of(e.collective) << " rank " << rank;
    }
  }
}

TEST(Prediction, LongVectorsMoveAboutTwiceTheirBytes) {
  for (int ranks : {64, 100, 1000}) {
    coll::Schedule schedule;
    const coll::Facts facts = facts_at(Collective::allreduce, ranks, 5, 64 << 20);
    coll::choose(facts).plan(facts, schedule);
    const coll::Cost cost = coll::predict(schedule, {});
    EXPECT_LE(cost.sent_bytes, std::int64_t{64 << 20} * 4);       // a fold adds two vectors at most
    EXPECT_GT(cost.seconds, 0.0);
  }
}

// The slowest of a few ranks.
double seconds_of(const Algorithm& algorithm, int ranks, std::int64_t bytes) {
  double slowest = 0;
  for (int rank : {0, ranks / 2, ranks - 1}) {
    coll::Schedule schedule;
    algorithm.plan(facts_at(algorithm.collective, ranks, rank, bytes), schedule);
    slowest = std::max(slowest, coll::predict(schedule, {}).seconds);
  }
  return slowest;
}

TEST(Prediction, ChoiceIsNeverFarFromTheBestAlgorithm) {
  for (Collective collective : {Collective::broadcast, Collective::reduce, Collective::allreduce, Collective::allgather,
                                Collective::alltoall, Collective::reduce_scatter_block}) {
    for (int ranks : {2, 3, 8, 12, 64, 1000}) {
      for (std::int64_t bytes = 8; bytes <= 16 << 20; bytes *= 8) {
        if (ranks * bytes > std::int64_t{1} << 32) continue;
        const coll::Facts facts = facts_at(collective, ranks, 0, bytes);
        double best = 1e9;
        const char* name = "";
        for (const Algorithm& algorithm : coll::algorithms()) {
          if (algorithm.collective != collective || !algorithm.able(facts)) continue;
          if (std::string(algorithm.name) == "chain") continue;      // one rank's schedule does not show how deep the chain is
          if (std::string(algorithm.name) == "spread") continue;     // for one node, whose costs are others
          const double seconds = seconds_of(algorithm, ranks, bytes);
          if (seconds < best) { best = seconds; name = algorithm.name; }
        }
        EXPECT_LE(seconds_of(coll::choose(facts), ranks, bytes), 3 * best)
            << coll::name_of(collective) << " ranks " << ranks << " bytes " << bytes << " chosen " << coll::choose(facts).name << " best " << name;
      }
    }
  }
}

}  // namespace
}  // namespace weft::plan_test
