// Sizes, bounds and element counts of datatypes against the typemap oracle and the standard's examples.
#include <gtest/gtest.h>

#include "data/datatype.hpp"
#include "data/pack.hpp"
#include "oracle.hpp"

namespace weft::test {
namespace {

void expect_bounds(const Both& both) {
  EXPECT_EQ(both.type->size, both.map.size());
  EXPECT_EQ(both.type->lower_bound, both.map.lower());
  EXPECT_EQ(both.type->extent, both.map.extent());
  EXPECT_EQ(both.type->true_lower_bound, both.map.true_lower());
  EXPECT_EQ(both.type->true_extent, both.map.true_upper() - both.map.true_lower());
  EXPECT_EQ(both.type->elements, static_cast<std::int64_t>(both.map.entries.size()));
}

TEST(Datatype, PredefinedTable) {
  for (const data::Datatype& type : data::all_predefined()) {
    EXPECT_EQ(data::predefined(type.number), &type) << type.given_name;
    EXPECT_EQ(type.handle(), type.number);
    EXPECT_TRUE(type.committed);
    const std::uint32_t code = type.number & 0x1ff;
    if (code >= 0x40) {  // types of fixed size
      EXPECT_EQ(type.size, 1 << ((code >> 3) & 7)) << type.given_name;
    }
  }
  EXPECT_EQ(data::predefined(0x200), nullptr);
  EXPECT_EQ(data::predefined(0x20), nullptr);
  EXPECT_EQ(data::predefined(0x2ff), nullptr);
  EXPECT_EQ(data::predefined(0x22c)->size, 6);
  EXPECT_EQ(data::predefined(0x22c)->extent, 8);
  EXPECT_EQ(data::predefined(0x22d)->size, 20);
  EXPECT_EQ(data::predefined(0x22d)->extent, 32);
}

TEST(Datatype, RandomTreesHaveTheTypemapsBounds) {
  Random random(42);
  for (int round = 0; round < 5000; ++round) {
    const Both both = make_random(random, static_cast<int>(pick(random, 0, 4)));
    SCOPED_TRACE(round);
    expect_bounds(both);
    if (HasFailure()) return;
  }
}

// contig(3) of resized(lower bound 6, extent -9) of four bytes.
TEST(Datatype, NegativeExtent) {
  const Both both = contiguous(3, resized(contiguous(4, basic(0x247)), 6, -9));
  expect_bounds(both);
  EXPECT_EQ(both.type->lower_bound, -12);
  EXPECT_EQ(both.type->upper_bound(), -3);
  EXPECT_EQ(both.type->true_lower_bound, -18);
  EXPECT_EQ(both.type->true_extent, 22);
}

TEST(Datatype, StructIsPaddedToItsAlignment) {
  const Both number = basic(0x214), letter = basic(0x243);
  const Both both = structure({1, 1}, {0, 8}, {&number, &letter});
  EXPECT_EQ(both.type->extent, 16);
  EXPECT_EQ(contiguous(2, both).type->true_extent, 25);
  EXPECT_EQ(contiguous(2, both).type->extent, 32);
}

TEST(Datatype, SubarrayInStruct) {
  const Both cells = subarray({6, 5}, {2, 3}, {3, 1}, data::Order::c, basic(0x214));
  const Both number = basic(0x209);
  const Both both = structure({1, 2, 1}, {0, 240, 800}, {&number, &cells, &number});
  expect_bounds(both);
}

TEST(Datatype, DarrayPartsCoverTheArrayOnce) {
  using data::Distribution;
  const Distribution kinds[] = {Distribution::block, Distribution::cyclic, Distribution::none};
  Random random(8);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> sizes, arguments, grid;
    std::vector<Distribution> distributions;
    std::int64_t processes = 1, cells = 1;
    for (int d = 0; d < 3; ++d) {
      const Distribution kind = kinds[pick(random, 0, 2)];
      sizes.push_back(pick(random, 1, 9));
      grid.push_back(kind == Distribution::none ? 1 : pick(random, 1, 3));
      const bool chosen = kind == Distribution::cyclic && pick(random, 0, 1) != 0;
      arguments.push_back(chosen ? pick(random, 1, 4) : data::default_distribution_argument);
      distributions.push_back(kind);
      processes *= grid.back();
      cells *= sizes.back();
    }
    const data::Order order = round % 2 == 0 ? data::Order::c : data::Order::fortran;
    std::vector<int> owner(static_cast<std::size_t>(cells), -1);
    for (std::int64_t rank = 0; rank < processes; ++rank) {
      data::Datatype* type = data::make_darray(processes, rank, sizes, distributions, arguments, grid, order, data::predefined(0x209));
      ASSERT_NE(type, nullptr);
      EXPECT_EQ(type->extent, cells * 4);
      EXPECT_EQ(type->lower_bound, 0);
      data::commit(type);
      const std::vector<int> mine(static_cast<std::size_t>(type->size / 4), static_cast<int>(rank));
      for (const auto& cell : owner) ASSERT_LT(cell, rank);
      std::vector<int> placed(owner.size(), -1);
      data::unpack(type, placed.data(), 1, 0, mine.data(), type->size);
      for (std::size_t i = 0; i < placed.size(); ++i) {
        if (placed[i] < 0) continue;
        EXPECT_EQ(owner[i], -1);
        owner[i] = placed[i];
      }
      data::release(type);
    }
    for (const int cell : owner) ASSERT_GE(cell, 0);
  }
}

// 7 places over 2 processes in blocks of 2, the standard's cyclic(2): 0 1 4 5 and 2 3 6.
TEST(Datatype, DarrayCyclicOwnsWhatTheStandardSays) {
  const std::int64_t size = 7, argument = 2, grid = 2;
  const data::Distribution cyclic = data::Distribution::cyclic;
  data::Datatype* type = data::make_darray(2, 1, {&size, 1}, {&cyclic, 1}, {&argument, 1}, {&grid, 1}, data::Order::c,
                                           data::predefined(0x243));
  data::commit(type);
  char out[4] = {};
  EXPECT_EQ(data::pack(type, "0123456", 1, 0, out, 4), 3);
  EXPECT_STREQ(out, "236");
  data::release(type);
}

TEST(Datatype, BasicCountsMatchTheTypemap) {
  Random random(99);
  for (int round = 0; round < 2000; ++round) {
    const Both both = make_random(random, static_cast<int>(pick(random, 0, 3)));
    if (both.map.size() == 0 || both.map.size() > 3000) continue;
    std::int64_t bytes = 0, elements = 0;
    ASSERT_EQ(data::basic_count(both.type, 0), 0);
    for (int copy = 0; copy < 2; ++copy) {
      for (const Typemap::Entry& entry : both.map.entries) {
        if (entry.bytes > 1) {
          ASSERT_EQ(data::basic_count(both.type, bytes + 1), -1);
        }
        bytes += entry.bytes;
        ++elements;
        ASSERT_EQ(data::basic_count(both.type, bytes), elements) << "round " << round;
        ASSERT_EQ(data::bytes_of_basic(both.type, elements), bytes);
        const bool whole = bytes % both.map.size() == 0;
        ASSERT_EQ(data::whole_count(both.type, bytes), whole ? bytes / both.map.size() : -1);
      }
    }
  }
}

TEST(Datatype, ThePartsOutliveTheirHandles) {
  data::Datatype* inner = data::make_vector(3, 1, 2, data::predefined(0x209));
  data::Datatype* outer = data::make_contiguous(2, inner);
  data::release(inner);
  ASSERT_EQ(data::commit(outer), Status::ok);
  EXPECT_EQ(outer->size, 24);
  data::release(outer);
  EXPECT_EQ(outer->magic, 0u);  // a stale handle is recognised
}

TEST(Datatype, TooLargeIsRefused) {
  EXPECT_EQ(data::make_contiguous(INT64_MAX / 4, data::predefined(0x214)), nullptr);
  EXPECT_EQ(data::make_hvector(3, 1, INT64_MAX / 2, data::predefined(0x214)), nullptr);
  const std::int64_t side[] = {1LL << 32, 1LL << 32};
  const std::int64_t start[] = {0, 0}, part[] = {1, 1};
  EXPECT_EQ(data::make_subarray(side, part, start, data::Order::c, data::predefined(0x214)), nullptr);
}

TEST(Datatype, SimpleShapesNeedNoProgram) {
  const Both row = contiguous(4, basic(0x214));
  data::commit(row.type);
  EXPECT_TRUE(row.type->contiguous);
  const Both number = basic(0x209);
  const Both tight = structure({1, 1}, {0, 4}, {&number, &number});
  data::commit(tight.type);
  EXPECT_TRUE(tight.type->contiguous);
  const Both swapped = structure({1, 1}, {4, 0}, {&number, &number});
  data::commit(swapped.type);
  EXPECT_FALSE(swapped.type->contiguous);
  const Both whole = subarray({4, 4}, {4, 4}, {0, 0}, data::Order::c, number);
  data::commit(whole.type);
  EXPECT_TRUE(whole.type->contiguous);
}

}  // namespace
}  // namespace weft::test
