// The operations of a tcp endpoint between two ports of one process.
#include <cstring>
#include <deque>
#include <random>

#include "tcp_pair.hpp"

namespace weft::fabric::tcp {
namespace {

std::vector<std::byte> noise(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> result(bytes);
  for (std::byte& byte : result) byte = static_cast<std::byte>(random());
  return result;
}

// Posts until it is taken, and polls meanwhile.
template <class Post>
Outcome post_until_taken(Ports& ports, Post&& post) {
  Outcome outcome = Outcome::again;
  EXPECT_TRUE(ports.run_until([&] { return (outcome = post()) != Outcome::again; }));
  return outcome;
}

TEST(TcpEndpoint, OpeningsReachTheOtherSide) {
  Pair pair;
  EXPECT_EQ(pair.a->peer_opening(), opening_saying("from one"));
  EXPECT_EQ(pair.b->peer_opening(), opening_saying("from zero"));
}

TEST(TcpEndpoint, OneSideOpensAndTheOtherIsToldWho) {
  for (const int first : {0, 1}) {
    Ports ports(2);
    Endpoint* early = ports.open(first, 1 - first);
    int contact = -1;
    EXPECT_TRUE(ports.run_until([&] { return (contact = ports.port(1 - first).poll_contact()) >= 0; }));
    EXPECT_EQ(contact, first);
    EXPECT_EQ(early->state(), Endpoint::State::opening);
    Endpoint* late = ports.open(1 - first, first);
    EXPECT_TRUE(ports.run_until([&] { return early->state() == Endpoint::State::open && late->state() == Endpoint::State::open; }));
    EXPECT_EQ(ports.port(first).poll_contact(), -1);
    EXPECT_EQ(ports.port(1 - first).poll_contact(), -1);
  }
}

TEST(TcpEndpoint, AStreamCarriesEveryByteInOrder) {
  Pair pair;
  const std::vector<std::byte> sent = noise(8'000'000, 1);
  std::vector<std::byte> got(sent.size());
  std::size_t out = 0, in = 0;
  std::mt19937 random(2);
  EXPECT_TRUE(pair.run_until([&] {
    for (int i = 0; i < 10; ++i) {
      const std::size_t part = std::min<std::size_t>(random() % 5000, sent.size() - out);
      const std::size_t half = part / 2;
      const iovec pieces[] = {{const_cast<std::byte*>(&sent[out]), half}, {const_cast<std::byte*>(sent.data()) + out + half, part - half}};
      out += pair.a->post_stream(pieces, 2);
      if (out == sent.size()) break;
    }
    in += pair.b->poll_stream(got.data() + in, std::min<std::size_t>(got.size() - in, 1 + random() % 9000));
    return in == sent.size();
  }));
  EXPECT_EQ(sent, got);
}

TEST(TcpEndpoint, WritesAndReadsOfAllSizesArriveWhole) {
  Pair pair;
  std::mt19937 random(3);
  Expected<Region> there = pair.port(1).allocate(1 << 22);
  ASSERT_TRUE(there);
  for (int turn = 0; turn < 300; ++turn) {
    const std::size_t bytes = turn < 20 ? static_cast<std::size_t>(turn) : random() % (turn % 10 == 0 ? 1u << 21 : 20'000);
    const std::size_t offset = random() % (there->bytes - bytes);
    std::vector<std::byte> source = noise(bytes, static_cast<unsigned>(turn));
    Operation written{false, Status::ok};
    const Outcome outcome = post_until_taken(pair, [&] {
      return pair.a->post_write({source.data(), 0}, there->remote_at(offset), bytes, Notify::immediate, &written);
    });
    ASSERT_NE(outcome, Outcome::failed) << pair.a->loss();
    ASSERT_TRUE(pair.run_until([&] { return pair.b->immediates() == static_cast<std::uint64_t>(turn) + 1; })) << pair.b->loss();
    ASSERT_TRUE(outcome == Outcome::done || written.done);
    ASSERT_EQ(bytes == 0 ? 0 : std::memcmp(there->address + offset, source.data(), bytes), 0) << bytes;
    std::vector<std::byte> back(bytes);
    Operation read{false, Status::ok};
    ASSERT_EQ(post_until_taken(pair, [&] { return pair.a->post_read({back.data(), 0}, there->remote_at(offset), bytes, read); }), Outcome::posted);
    ASSERT_TRUE(pair.run_until([&] { return read.done; }));
    EXPECT_EQ(read.status, Status::ok);
    ASSERT_EQ(back, source);
  }
  pair.port(1).free(*there);
}

// Many at once, both ways, so that sockets fill and queues grow.
TEST(TcpEndpoint, ManyOperationsAtOnceBothWays) {
  constexpr std::size_t each = 300'000;
  Pair pair;
  Expected<Region> at_a = pair.port(0).allocate(each * 16);
  Expected<Region> at_b = pair.port(1).allocate(each * 16);
  ASSERT_TRUE(at_a && at_b);
  const std::vector<std::byte> from_a = noise(each * 16, 4), from_b = noise(each * 16, 5);
  std::deque<Operation> operations;
  for (std::size_t i = 0; i < 16; ++i) {
    const auto post = [&](Endpoint* by, const std::vector<std::byte>& from, const Region& to) {
      operations.push_back({false, Status::ok});
      const Outcome outcome = post_until_taken(pair, [&] {
        return by->post_write({const_cast<std::byte*>(&from[i * each]), 0}, to.remote_at(i * each), each, Notify::immediate, &operations.back());
      });
      if (outcome == Outcome::done) operations.back().done = true;
    };
    post(pair.a, from_a, *at_b);
    post(pair.b, from_b, *at_a);
  }
  EXPECT_TRUE(pair.run_until([&] { return pair.a->immediates() == 16 && pair.b->immediates() == 16; }));
  for (const Operation& operation : operations) EXPECT_TRUE(operation.done && operation.status == Status::ok);
  EXPECT_EQ(std::memcmp(at_b->address, from_a.data(), each * 16), 0);
  EXPECT_EQ(std::memcmp(at_a->address, from_b.data(), each * 16), 0);
}

TEST(TcpEndpoint, AtomicsAddUpAndTellWhatWasThere) {
  Pair pair;
  Expected<Region> there = pair.port(1).allocate(64);
  ASSERT_TRUE(there);
  auto* word = reinterpret_cast<std::uint64_t*>(there->address);
  std::deque<AtomicOperation> adds;
  for (int i = 0; i < 1000; ++i) {
    adds.emplace_back();
    adds.back().done = false;
    ASSERT_EQ(post_until_taken(pair, [&] { return pair.a->post_fetch_add(there->remote_at(8), 3, adds.back()); }), Outcome::posted);
  }
  ASSERT_TRUE(pair.run_until([&] { return adds.back().done; }));
  for (std::size_t i = 0; i < adds.size(); ++i) EXPECT_EQ(adds[i].value, 3 * i);
  EXPECT_EQ(word[1], 3000u);
  AtomicOperation swap, failing;
  swap.done = failing.done = false;
  ASSERT_EQ(pair.a->post_compare_swap(there->remote_at(8), 3000, 7, swap), Outcome::posted);
  ASSERT_EQ(pair.a->post_compare_swap(there->remote_at(8), 3000, 9, failing), Outcome::posted);
  ASSERT_TRUE(pair.run_until([&] { return failing.done; }));
  EXPECT_EQ(swap.value, 3000u);
  EXPECT_EQ(failing.value, 7u);
  EXPECT_EQ(word[1], 7u);
}

TEST(TcpEndpoint, MessagesComeWholeAndInOrder) {
  Pair pair;
  std::mt19937 random(6);
  std::deque<std::vector<std::byte>> expected;
  int posted = 0, got = 0;
  EXPECT_TRUE(pair.run_until([&] {
    if (posted < 3000) {
      std::vector<std::byte> body = noise(random() % (posted % 7 == 0 ? 16'384 : 300), static_cast<unsigned>(posted));
      const std::uint64_t head = static_cast<std::uint64_t>(posted);
      if (pair.a->post_send(&head, sizeof head, body.data(), body.size()) == Outcome::done) {
        expected.push_back(std::move(body));
        ++posted;
      }
    }
    if (posted % 50 != 0 && posted < 3000) return false;     // let some pile up
    for (Message message = pair.b->poll_message(); message.data != nullptr; message = pair.b->poll_message()) {
      std::uint64_t head;
      std::memcpy(&head, message.data, sizeof head);
      EXPECT_EQ(head, static_cast<std::uint64_t>(got++));
      EXPECT_EQ(std::vector<std::byte>(message.data + sizeof head, message.data + message.bytes), expected.front());
      expected.pop_front();
    }
    return got == 3000;
  }));
  const std::vector<std::byte> large(pair.port(0).max_message_bytes());
  EXPECT_EQ(pair.a->post_send("x", 1, large.data(), large.size()), Outcome::failed);
  EXPECT_EQ(pair.a->state(), Endpoint::State::open);
}

TEST(TcpEndpoint, ARequestOutsideARegionEndsTheLinkAndNamesIt) {
  Pair pair;
  Expected<Region> there = pair.port(1).allocate(4096);
  ASSERT_TRUE(there);
  std::byte room[64];
  Operation read{false, Status::ok};
  ASSERT_EQ(pair.a->post_read({room, 0}, there->remote_at(4090), 64, read), Outcome::posted);
  EXPECT_TRUE(pair.run_until([&] { return pair.a->state() == Endpoint::State::lost && pair.b->state() == Endpoint::State::lost; }));
  EXPECT_TRUE(pair.run_until([&] { return read.done; }));
  EXPECT_EQ(read.status, Status::peer_lost);
  EXPECT_NE(std::string(pair.b->loss()).find("outside its region, 4096 bytes"), std::string::npos) << pair.b->loss();
  EXPECT_NE(std::string(pair.a->loss()).find("outside its region, 4096 bytes"), std::string::npos) << pair.a->loss();
}

TEST(TcpEndpoint, AConcealedRegionIsClosed) {
  Pair pair;
  std::vector<std::byte> memory(4096);
  Region first, second;
  ASSERT_EQ(pair.port(1).expose(memory.data(), memory.size(), first), Status::ok);
  pair.port(1).conceal(first);
  ASSERT_EQ(pair.port(1).expose(memory.data(), memory.size(), second), Status::ok);
  EXPECT_NE(first.remote.key, second.remote.key);
  Operation written{false, Status::ok};
  (void)pair.a->post_write({memory.data(), 0}, first.remote, 8, Notify::none, &written);
  EXPECT_TRUE(pair.run_until([&] { return pair.b->state() == Endpoint::State::lost; }));
  EXPECT_NE(std::string(pair.b->loss()).find("no memory is open"), std::string::npos) << pair.b->loss();
}

TEST(TcpEndpoint, APeerThatLeavesInOrderIsNotLost) {
  Pair pair;
  char byte = 'x';
  const iovec piece{&byte, 1};
  EXPECT_TRUE(pair.run_until([&] { return pair.a->post_stream(&piece, 1) == 1; }));
  EXPECT_TRUE(pair.run_until([&] { return pair.b->poll_stream(&byte, 1) == 1; }));
  pair.ports[1].reset();
  for (int turn = 0; turn < 5000; ++turn) {
    (void)pair.port(0).poll();
    (void)pair.a->poll_stream(&byte, 1);
  }
  EXPECT_EQ(pair.a->state(), Endpoint::State::open) << pair.a->loss();
}

}  // namespace
}  // namespace weft::fabric::tcp
