// The whole way of messages between ranks as threads, on every fabric, under every paradigm and hybrid: order, content, sizes
// around every limit, rings of the least size, piles in every order of tags, announced messages taken back, bounded memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "ranks.hpp"

namespace weft::wire {
namespace {

class Messages : public ::testing::TestWithParam<Setting> {
 protected:
  const Setting& setting() const { return GetParam(); }
};

std::vector<std::uint8_t> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::uint8_t> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 31 + seed * 7 + (i >> 8));
  return data;
}

match::TypedBuffer buffer_of(std::vector<std::uint8_t>& data) {
  return {data.data(), static_cast<std::int64_t>(data.size()), data::predefined(data::number::byte)};
}

const std::size_t sizes[] = {0, 1, 3, 8, 31, 32, 33, 63, 64, 65, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 8192, 8193, 70'000, 1'000'001};

TEST_P(Messages, EverySizeArrivesWhole) {
  run(2, setting(), [](Rank& rank) {
    for (int round = 0; round < 3; ++round)
      for (const std::size_t size : sizes) {
        const auto sent = pattern(size, static_cast<unsigned>(round));
        std::vector<std::uint8_t> got(size + 8, 0xee);
        if (rank.number == 0) rank.send(1, 5, sent.data(), size);
        ASSERT_EQ(rank.number == 0 ? rank.receive(1, 5, got.data(), size) : rank.receive(0, 5, got.data(), size), size);
        if (rank.number == 1) rank.send(0, 5, got.data(), size);
        ASSERT_TRUE(std::equal(sent.begin(), sent.end(), got.begin())) << size;
        for (std::size_t i = size; i < got.size(); ++i) ASSERT_EQ(got[i], 0xee);
      }
  });
}

TEST_P(Messages, ToOneself) {
  run(1, setting(), [](Rank& rank) {
    for (const std::size_t size : sizes) {
      auto sent = pattern(size, 1);
      std::vector<std::uint8_t> got(size);
      match::Request* request = rank.engine.post_send(0, 8, 0, 3, buffer_of(sent), match::SendMode::synchronous);
      EXPECT_FALSE(request->done);
      ASSERT_EQ(rank.receive(0, 3, got.data(), size), size);
      rank.engine.wait(*request);
      request->release();
      ASSERT_EQ(got, sent);
    }
  });
}

// A receive that is too short is told so, gets what fits and not a byte more, and the next message is whole.
TEST_P(Messages, TruncationKeepsToTheBuffer) {
  run(2, setting(), [](Rank& rank) {
    for (const std::size_t size : {std::size_t{16}, std::size_t{100}, std::size_t{5000}, std::size_t{300'000}}) {
      auto sent = pattern(size, 2);
      if (rank.number == 0) {
        rank.send(1, 1, sent.data(), size);
        rank.send(1, 2, sent.data(), 10);
        continue;
      }
      std::vector<std::uint8_t> got(16, 0xaa);
      match::Request* request = rank.engine.post_receive(0, 8, 1, {got.data(), 8, data::predefined(data::number::byte)});
      rank.engine.wait(*request);
      EXPECT_EQ(request->status, Status::truncated);
      EXPECT_EQ(request->bytes, size);
      request->release();
      EXPECT_EQ(std::memcmp(got.data(), sent.data(), 8), 0);
      for (std::size_t i = 8; i < 16; ++i) EXPECT_EQ(got[i], 0xaa);
      EXPECT_EQ(rank.receive(0, 2, got.data(), 16), 10u);
    }
  });
}

// Numbers from one sender ascend under wildcards, whatever their sizes and whether the receive came first.
TEST_P(Messages, OrderHoldsAcrossSizesAndWildcards) {
  run(3, setting(), [](Rank& rank) {
    constexpr int count = 400;
    std::mt19937 random(7u + static_cast<unsigned>(rank.number));
    if (rank.number > 0) {
      std::vector<std::vector<std::uint8_t>> data;
      std::vector<match::Request*> requests;
      for (int i = 0; i < count; ++i) {
        std::vector<std::uint8_t> message(random() % 10 == 0 ? 20'000 : 4 + random() % 3000);
        std::memcpy(message.data(), &i, sizeof i);
        data.push_back(std::move(message));
        requests.push_back(rank.engine.post_send(0, 8, rank.number, i % 3, buffer_of(data.back()), match::SendMode::standard));
      }
      for (match::Request* request : requests) {
        rank.engine.wait(*request);
        request->release();
      }
      return;
    }
    int next[3] = {0, 0, 0};
    std::vector<std::uint8_t> got(20'000);
    for (int i = 0; i < 2 * count; ++i) {
      match::Request* request = rank.engine.post_receive(match::any_source, 8, match::any_tag, buffer_of(got));
      if (i % 7 == 0)
        for (int turn = 0; turn < 50; ++turn) (void)rank.engine.poll();
      rank.engine.wait(*request);
      int number = -1;
      std::memcpy(&number, got.data(), sizeof number);
      ASSERT_EQ(number, next[request->source]++);
      ASSERT_EQ(request->tag, number % 3);
      request->release();
    }
  });
}

// A pile taken in reverse order of tags.
TEST_P(Messages, ReverseTags) {
  run(2, setting(), [](Rank& rank) {
    constexpr int count = 5000;
    if (rank.number == 0) {
      for (int i = 0; i < count; ++i) rank.send(1, i, &i, sizeof i);
      return;
    }
    for (int i = count - 1; i >= 0; --i) {
      int got = -1;
      rank.receive(0, i, &got, sizeof got);
      ASSERT_EQ(got, i);
    }
    EXPECT_EQ(rank.engine.unexpected_bytes(), 0u);
  });
}

// A slow receiver's memory is bounded: what goes beyond the limit waits at the sender, and nothing is lost.
TEST_P(Messages, UnexpectedMemoryIsBounded) {
  run(2, setting(), [](Rank& rank) {
    constexpr int count = 3000;         // three times the limit of this test (meson.build)
    std::vector<std::uint8_t> message(1000, 1);
    if (rank.number == 0) {
      std::vector<match::Request*> requests;
      for (int i = 0; i < count; ++i) requests.push_back(rank.engine.post_send(1, 8, 0, 1, buffer_of(message), match::SendMode::standard));
      rank.send(1, 2, nullptr, 0);
      for (match::Request* request : requests) {
        rank.engine.wait(*request);
        request->release();
      }
      return;
    }
    rank.receive(0, 2, nullptr, 0);
    EXPECT_LE(rank.engine.unexpected_bytes(), rank.engine.unexpected_limit() + 4096);
    EXPECT_GT(rank.engine.unexpected_bytes(), rank.engine.unexpected_limit() / 2);
    for (int i = 0; i < count; ++i) ASSERT_EQ(rank.receive(0, 1, message.data(), message.size()), message.size());
    EXPECT_EQ(rank.engine.unexpected_bytes(), 0u);
  });
}

// An announced message is either taken back or delivered, never both, never neither.
TEST_P(Messages, WithdrawnOrDelivered) {
  run(2, setting(), [](Rank& rank) {
    std::vector<std::uint8_t> data(50'000, 9);
    for (int i = 0; i < 200; ++i) {
      if (rank.number == 0) {
        match::Request* request = rank.engine.post_send(1, 8, 0, 4, buffer_of(data), match::SendMode::standard);
        request->cancel();
        rank.engine.wait(*request);
        const char delivered = request->cancelled ? 0 : 1;
        request->release();
        rank.send(1, 5, &delivered, 1);
        rank.receive(1, 6, nullptr, 0);    // the next message must not meet a receive that is to be cancelled
      } else {
        match::Request* request = rank.engine.post_receive(0, 8, 4, buffer_of(data));
        char delivered = 2;
        rank.receive(0, 5, &delivered, 1);
        if (delivered == 0) request->cancel();
        rank.engine.wait(*request);
        EXPECT_EQ(request->cancelled, delivered == 0);
        request->release();
        rank.send(0, 6, nullptr, 0);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Chosen, Messages, ::testing::Values(Setting{}, Setting{{1024, 4096}, "auto"}));
INSTANTIATE_TEST_SUITE_P(NotDirect, Messages, ::testing::Values(Setting{{256, 32768}, "write-write", "shm", false}, Setting{{16, 4096}, "write-write", "shm", false}));
INSTANTIATE_TEST_SUITE_P(Pairings, Messages, ::testing::ValuesIn(pairings({256, 32768})));
INSTANTIATE_TEST_SUITE_P(LeastRings, Messages, ::testing::ValuesIn(pairings({16, 4096})));

}  // namespace
}  // namespace weft::wire
