// Every link and pairing of links over the chaos fabric, seed by seed: whatever order bytes land in, whatever is late, split or
// put off, messages arrive whole, once, in order. WEFT_TEST_SEEDS says how many seeds, WEFT_TEST_SEED the one to try again.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <vector>

#include "fabric/chaos/port.hpp"
#include "ranks.hpp"

namespace weft::wire {
namespace {

class Chaos : public ::testing::TestWithParam<Setting> {};

std::uint64_t number_of(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : fallback;
}

std::uint8_t byte_at(int sender, int message, std::size_t place) { return static_cast<std::uint8_t>(sender * 101 + message * 7 + static_cast<int>(place * 13 + (place >> 8))); }

// Both ranks send and receive at once; sizes cover inline, ring, half a ring, and rendezvous.
void exchange(Rank& rank, std::uint64_t seed) {
  constexpr int count = 40;
  const auto size_of = [seed](int sender, int message) {
    std::mt19937_64 random(seed * 131 + static_cast<std::uint64_t>(sender * 1000 + message));
    const std::size_t limits[] = {9, 33, 65, 300, 2048, 2049, 6000, 20'000};
    return static_cast<std::size_t>(random() % limits[random() % std::size(limits)]);
  };
  const int peer = 1 - rank.number;
  std::vector<std::vector<std::uint8_t>> sent(count), got(count);
  std::vector<match::Request*> requests;
  const auto buffer_of = [](std::vector<std::uint8_t>& data) {
    return match::TypedBuffer{data.data(), static_cast<std::int64_t>(data.size()), data::predefined(data::number::byte)};
  };
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    sent[at].resize(size_of(rank.number, i));
    for (std::size_t place = 0; place < sent[at].size(); ++place) sent[at][place] = byte_at(rank.number, i, place);
    got[at].resize(size_of(peer, i) + 8, 0xee);
    if (i % 3 != 2) requests.push_back(rank.engine.post_receive(peer, 8, match::any_tag, buffer_of(got[at])));
    requests.push_back(rank.engine.post_send(peer, 8, rank.number, i, buffer_of(sent[at]), match::SendMode::standard));
    if (i % 3 == 2) requests.push_back(rank.engine.post_receive(peer, 8, match::any_tag, buffer_of(got[at])));
  }
  for (match::Request* request : requests) {
    rank.engine.wait(*request);
    EXPECT_EQ(request->status, Status::ok);
    request->release();
  }
  for (int i = 0; i < count; ++i) {
    const auto& message = got[static_cast<std::size_t>(i)];
    for (std::size_t place = 0; place < message.size(); ++place)
      ASSERT_EQ(message[place], place < message.size() - 8 ? byte_at(peer, i, place) : 0xee) << "message " << i << " of " << message.size() - 8 << " bytes, byte " << place;
  }
}

TEST_P(Chaos, MessagesArriveWholeOnceInOrder) {
  const std::uint64_t only = number_of("WEFT_TEST_SEED", 0);
  const std::uint64_t last = only != 0 ? only : number_of("WEFT_TEST_SEEDS", 20);
  Setting setting = GetParam();
  for (setting.chaos_seed = only != 0 ? only : 1; setting.chaos_seed <= last && !HasFailure(); ++setting.chaos_seed) {
    SCOPED_TRACE("WEFT_TEST_SEED=" + std::to_string(setting.chaos_seed));
    run(2, setting, [&setting](Rank& rank) { exchange(rank, setting.chaos_seed); });
  }
}

std::atomic<int> lost_peer{-1};

// A link that is cut is told, once, with the peer and a reason.
TEST_P(Chaos, CutLinksAreTold) {
  Setting setting = GetParam();
  setting.chaos_seed = 7;
  setting.lost = [](int world_rank, const char* why) {
    if (world_rank != 1) return;       // rank 1 may see rank 0 leave
    EXPECT_STREQ(why, "cut by the chaos fabric");
    EXPECT_EQ(lost_peer.exchange(world_rank), -1);
  };
  lost_peer = -1;
  run(2, setting, [](Rank& rank) {
    exchange(rank, 3);
    if (rank.number != 0) return rank.send(0, 1000, nullptr, 0);
    rank.receive(1, 1000, nullptr, 0);   // what is cut must not be needed any more
    static_cast<fabric::chaos::ChaosPort*>(rank.engine.switchboard().ports().back())->cut();
    rank.engine.wait_until([] { return lost_peer.load() == 1; });
    for (int turn = 0; turn < 100; ++turn) (void)rank.engine.poll();
  });
  EXPECT_EQ(lost_peer.load(), 1);
}

INSTANTIATE_TEST_SUITE_P(Pairings, Chaos, ::testing::ValuesIn(pairings({64, 16384})));
INSTANTIATE_TEST_SUITE_P(Rendezvous, Chaos, ::testing::ValuesIn(rendezvous_settings({16, 4096})));
INSTANTIATE_TEST_SUITE_P(LeastRings, Chaos, ::testing::ValuesIn(pairings({16, 4096})));

}  // namespace
}  // namespace weft::wire
