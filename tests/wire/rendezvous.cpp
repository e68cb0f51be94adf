// Large messages by get, by put and in fragments: that each goes the way that was demanded, falls back to fragments where a
// buffer has gaps, and never writes past the receiver's room. Content under every other condition: messages.cpp, chaos.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ranks.hpp"

namespace weft::wire {
namespace {

class Rendezvous : public ::testing::TestWithParam<Setting> {
 protected:
  const Setting& setting() const { return GetParam(); }
  // What a send has been through when it is done.
  match::Send::State way() const {
    if (setting().rendezvous == "get") return match::Send::State::announced;
    return setting().rendezvous == "put" ? match::Send::State::placing : match::Send::State::idle;
  }
};

constexpr std::size_t large = 3'000'001;       // several pieces, the last of them odd

std::vector<std::uint8_t> pattern(std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 31 + (i >> 8));
  return data;
}

match::TypedBuffer bytes_at(std::vector<std::uint8_t>& data, std::size_t bytes) {
  return {data.data(), static_cast<std::int64_t>(bytes), data::predefined(data::number::byte)};
}

match::Send::State send(Rank& rank, const match::TypedBuffer& buffer) {
  match::Request* request = rank.engine.post_send(1, 8, 0, 1, buffer, match::SendMode::standard);
  rank.engine.wait(*request);
  EXPECT_EQ(request->status, Status::ok);
  const match::Send::State state = static_cast<match::Send*>(request)->state;
  request->release();
  return state;
}

TEST_P(Rendezvous, ThePayloadGoesTheWayDemanded) {
  run(2, setting(), [this](Rank& rank) {
    auto data = pattern(large);
    if (rank.number == 0) {
      for (int round = 0; round < 3; ++round) EXPECT_EQ(send(rank, bytes_at(data, large)), way());
      return;
    }
    for (int round = 0; round < 3; ++round) {
      std::vector<std::uint8_t> got(large, 0xee);
      ASSERT_EQ(rank.receive(0, 1, got.data(), large), large);
      ASSERT_TRUE(got == data);
    }
  });
}

// Every second byte, at one side and then at the other.
TEST_P(Rendezvous, GapsAreSentInFragments) {
  constexpr std::int64_t count = 100'000;
  data::Datatype* types[2];              // one a rank, and made here: types belong to the process, whose lock the engines lack
  for (data::Datatype*& type : types) {
    type = data::make_vector(count, 1, 2, data::predefined(data::number::byte));
    data::commit(type);
  }
  run(2, setting(), [&types](Rank& rank) {
    data::Datatype* gaps = types[rank.number];
    auto wide = pattern(2 * count);
    auto narrow = pattern(count);
    if (rank.number == 0) {
      EXPECT_EQ(send(rank, {wide.data(), 1, gaps}), match::Send::State::idle);
      EXPECT_EQ(send(rank, bytes_at(narrow, count)), match::Send::State::idle);
    } else {
      std::vector<std::uint8_t> got(count);
      ASSERT_EQ(rank.receive(0, 1, got.data(), count), static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(got[i], wide[2 * i]);
      std::vector<std::uint8_t> spread(2 * count, 0xee);
      match::Request* request = rank.engine.post_receive(0, 8, 1, {spread.data(), 1, gaps});
      rank.engine.wait(*request);
      EXPECT_EQ(request->status, Status::ok);
      request->release();
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(spread[2 * i], narrow[i]);
      for (std::size_t i = 0; i + 1 < count; ++i) ASSERT_EQ(spread[2 * i + 1], 0xee);
    }
  });
  for (data::Datatype* type : types) data::release(type);
}

TEST_P(Rendezvous, TruncationKeepsToTheRoom) {
  run(2, setting(), [](Rank& rank) {
    constexpr std::size_t room = 1'500'000;
    auto data = pattern(large);
    if (rank.number == 0) {
      (void)send(rank, bytes_at(data, large));
      return;
    }
    std::vector<std::uint8_t> got(large, 0xee);
    match::Request* request = rank.engine.post_receive(0, 8, 1, bytes_at(got, room));
    rank.engine.wait(*request);
    EXPECT_EQ(request->status, Status::truncated);
    EXPECT_EQ(request->bytes, large);
    request->release();
    std::fill(data.begin() + room, data.end(), 0xee);
    ASSERT_TRUE(got == data);
  });
}

INSTANTIATE_TEST_SUITE_P(Demanded, Rendezvous, ::testing::ValuesIn(rendezvous_settings({128, 16384})));

TEST(RendezvousOver, TakesTheFirstThatCanBeAndNamesWhatADemandLacks) {
  using channel::LinkType;
  using channel::rendezvous_over;
  fabric::Caps all, writes;
  all.operations = fabric::op_write | fabric::op_read | fabric::op_send;
  writes.operations = fabric::op_write | fabric::op_send;
  EXPECT_EQ(*rendezvous_over(LinkType::push, all, "auto"), channel::Rendezvous::get);
  EXPECT_EQ(*rendezvous_over(LinkType::push, writes, "auto"), channel::Rendezvous::put);
  EXPECT_EQ(*rendezvous_over(LinkType::message, writes, "auto"), channel::Rendezvous::put);
  EXPECT_EQ(*rendezvous_over(LinkType::stream, writes, "auto"), channel::Rendezvous::fragments);
  EXPECT_EQ(*rendezvous_over(LinkType::push, all, "fragments"), channel::Rendezvous::fragments);
  EXPECT_NE(rendezvous_over(LinkType::push, writes, "get").failure().note.find("'read'"), std::string::npos);
  EXPECT_NE(rendezvous_over(LinkType::pull, all, "put").failure().note.find("pull"), std::string::npos);
  EXPECT_NE(rendezvous_over(LinkType::push, all, "putt").failure().note.find("fragments"), std::string::npos);
}

}  // namespace
}  // namespace weft::wire
