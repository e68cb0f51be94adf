// The verbs fabric's endpoints, two ports in one process and one thread, over whatever RDMA device the host has; skipped
// where there is none (tests/vm has one).
#include <cstring>

#include "verbs_ports.hpp"

namespace weft::fabric {
namespace {

// These run over RC, and some over UD as well.
class VerbsEndpoints : public Verbs {
 protected:
  using Verbs::Verbs;
  void exchange_messages();
  void flood();
};
class VerbsDatagrams : public VerbsEndpoints {
 protected:
  VerbsDatagrams() : VerbsEndpoints("ud") {}
};

TEST_F(VerbsEndpoints, OpensWhenBothSidesBeginAtOnce) {
  ASSERT_TRUE(ports[0]->reaches(ports[1]->card()));
  EXPECT_FALSE(ports[0]->reaches("a card of something else"));
  Endpoint& first = **ports[0]->open(1, ports[1]->card(), opening_of(1));
  Endpoint& second = **ports[1]->open(0, ports[0]->card(), opening_of(2));
  ASSERT_TRUE(until([&] { return first.state() == Endpoint::State::open && second.state() == Endpoint::State::open; }));
  EXPECT_EQ(first.peer_opening(), opening_of(2));
  EXPECT_EQ(ports[0]->poll_contact(), -1);
  EXPECT_EQ(ports[1]->poll_contact(), -1);
}

TEST_F(VerbsEndpoints, WritesInlineAndLongAndTellsByImmediate) {
  connect();
  const std::size_t bytes = std::size_t{3} << 20;
  const Region from = allocate(0, bytes);
  const Region to = allocate(1, bytes);
  for (std::size_t i = 0; i < bytes; ++i) from.address[i] = static_cast<std::byte>(i * 7);
  const bool immediate = ports[0]->caps().has(op_write_immediate);
  if (immediate) post([&] { return ends[0]->post_write(from.local(), to.remote, 24, Notify::immediate, nullptr); });
  else EXPECT_EQ(ends[0]->post_write(from.local(), to.remote, 24, Notify::immediate, nullptr), Outcome::failed);
  ASSERT_TRUE(until([&] { return ends[1]->immediates() == (immediate ? 1u : 0u); }));
  Operation operation{false, Status::ok};
  post([&] { return ends[0]->post_write(from.local(24), to.remote_at(24), bytes - 24, Notify::wake, &operation); });
  ASSERT_TRUE(until([&] { return operation.done; }));
  EXPECT_EQ(operation.status, Status::ok);
  ASSERT_TRUE(until([&] { return to.address[bytes - 1] == from.address[bytes - 1]; }));
  EXPECT_EQ(std::memcmp(from.address + (immediate ? 0 : 24), to.address + (immediate ? 0 : 24), bytes - (immediate ? 0 : 24)), 0);
  EXPECT_EQ(ends[1]->immediates(), immediate ? 1u : 0u);
}

TEST_F(VerbsEndpoints, ManySmallWritesArriveInOrderThroughAShortQueue) {
  connect();
  const Region from = allocate(0, 64);
  const Region to = allocate(1, 8 * 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::memcpy(from.address, &i, sizeof i);
    post([&] { return ends[0]->post_write(from.local(), to.remote_at(8 * i), 8, Notify::none, nullptr); });
  }
  std::uint64_t last = 0;
  ASSERT_TRUE(until([&] { std::memcpy(&last, to.address + 8 * 999, 8); return last == 999; }));
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(std::memcmp(to.address + 8 * i, &i, 8), 0);
}

TEST_F(VerbsEndpoints, Reads) {
  if (!ports[0]->caps().has(op_read)) GTEST_SKIP();
  connect();
  std::vector<std::byte> there(1'000'003, std::byte{42});
  std::vector<std::byte> here(there.size());
  Region from{};
  Region to{};
  ASSERT_EQ(ports[1]->expose(there.data(), there.size(), from), Status::ok);
  ASSERT_EQ(ports[0]->expose(here.data(), here.size(), to), Status::ok);
  Operation operation{false, Status::ok};
  post([&] { return ends[0]->post_read(to.local(), from.remote, there.size(), operation); });
  ASSERT_TRUE(until([&] { return operation.done; }));
  EXPECT_EQ(operation.status, Status::ok);
  EXPECT_EQ(here, there);
  ports[1]->conceal(from);
  ports[0]->conceal(to);
}

// A device of iWARP completes a send at once, and a read that was posted before it when its bytes have come.
TEST_F(VerbsEndpoints, AReadIsDoneWhenItsBytesAreThereWhateverIsPostedBehindIt) {
  if (!ports[0]->caps().has(op_read)) GTEST_SKIP();
  connect();
  const std::size_t bytes = std::size_t{8} << 20;
  const Region from = allocate(1, bytes);
  const Region to = allocate(0, bytes);
  const std::byte message[1000] = {};        // too long to go inline
  for (int round = 1; round <= 5; ++round) {
    std::memset(from.address, round, bytes);
    Operation operation{false, Status::ok};
    post([&] { return ends[0]->post_read(to.local(), from.remote, bytes, operation); });
    post([&] { return ends[0]->post_send(message, sizeof message, nullptr, 0); });
    ASSERT_TRUE(until([&] { return operation.done; }));
    ASSERT_EQ(operation.status, Status::ok);
    ASSERT_EQ(std::memcmp(to.address, from.address, bytes), 0) << round;
    ASSERT_TRUE(until([&] { return ends[1]->poll_message().data != nullptr; }));
  }
}

TEST_F(VerbsEndpoints, MemoryThatMayOnlyBeReadCanBeReadFrom) {
  if (!ports[0]->caps().has(op_read)) GTEST_SKIP();
  connect();
  static const char words[] = "constant words that lie in a page without permission to write";
  Region from{};
  ASSERT_EQ(ports[1]->expose(const_cast<char*>(words), sizeof words, from), Status::ok);
  const Region to = allocate(0, sizeof words);
  Operation operation{false, Status::ok};
  post([&] { return ends[0]->post_read(to.local(), from.remote, sizeof words, operation); });
  ASSERT_TRUE(until([&] { return operation.done; }));
  EXPECT_EQ(std::memcmp(to.address, words, sizeof words), 0);
}

TEST_F(VerbsEndpoints, AtomicsOnAPeerAndOnOneself) {
  if (!ports[0]->caps().has(op_fetch_add | op_compare_swap)) GTEST_SKIP();
  connect();
  const Region word = allocate(1, 64);
  Expected<Endpoint*> self = ports[1]->open(1, "", opening_of(9));
  ASSERT_TRUE(self) << self.failure().note;
  ASSERT_TRUE(until([&] { return (*self)->state() == Endpoint::State::open; }));
  EXPECT_EQ((*self)->peer_opening(), opening_of(9));
  Endpoint* both[2] = {ends[0], *self};
  for (std::uint64_t i = 0; i < 200; ++i) {
    AtomicOperation operation{{false, Status::ok}, 0};
    post([&] { return both[i % 2]->post_fetch_add(word.remote, 3, operation); });
    ASSERT_TRUE(until([&] { return operation.done; }));
    EXPECT_EQ(operation.value, 3 * i);
  }
  AtomicOperation operation{{false, Status::ok}, 0};
  post([&] { return ends[0]->post_compare_swap(word.remote, 600, 5, operation); });
  ASSERT_TRUE(until([&] { return operation.done; }));
  EXPECT_EQ(operation.value, 600u);
  operation.done = false;
  post([&] { return (*self)->post_compare_swap(word.remote, 600, 6, operation); });
  ASSERT_TRUE(until([&] { return operation.done; }));
  EXPECT_EQ(operation.value, 5u);
}

void VerbsEndpoints::exchange_messages() {
  connect();
  const std::size_t most = ports[0]->max_message_bytes();
  std::vector<std::byte> payload(most);
  const auto length = [&](int i) { return i % 3 == 0 ? std::size_t{8} : static_cast<std::size_t>(i) * 37 % (most - 16); };
  int sent = 0;
  int received = 0;
  ASSERT_TRUE(until([&] {
    if (sent < 2000) {
      const std::uint64_t head[2] = {static_cast<std::uint64_t>(sent), length(sent)};
      std::memset(payload.data(), sent & 0xff, length(sent));
      if (ends[0]->post_send(head, sizeof head, payload.data(), length(sent)) == Outcome::done) ++sent;
    }
    for (Message message = ends[1]->poll_message(); message.data != nullptr; message = ends[1]->poll_message()) {
      std::uint64_t head[2];
      std::memcpy(head, message.data, sizeof head);
      EXPECT_EQ(head[0], static_cast<std::uint64_t>(received));
      EXPECT_EQ(message.bytes, sizeof head + head[1]);
      EXPECT_TRUE(head[1] == 0 || message.data[message.bytes - 1] == static_cast<std::byte>(received & 0xff));
      ++received;
    }
    return received == 2000 || HasFailure();
  }));
  EXPECT_EQ(ends[0]->post_send(payload.data(), most, payload.data(), 1), Outcome::failed);
  EXPECT_EQ(ends[0]->state(), Endpoint::State::open);
}

TEST_F(VerbsEndpoints, MessagesOfEveryLengthArriveInOrder) { exchange_messages(); }
TEST_F(VerbsDatagrams, MessagesOfEveryLengthArriveInOrder) { exchange_messages(); }

// More messages than receives are posted, to a peer that does not look.
void VerbsEndpoints::flood() {
  if (!ports[0]->caps().has(op_write_immediate) && ports[0]->caps().has(op_write)) GTEST_SKIP() << "iWARP ends a connection whose receives run out";
  connect();
  std::uint64_t sent = 0;
  const os::Deadline deadline = os::Deadline::in_ms(1'000);
  while (!deadline.passed()) {
    (void)ports[0]->poll();
    if (sent < 1000 && ends[0]->post_send(&sent, sizeof sent, nullptr, 0) == Outcome::done) ++sent;
  }
  EXPECT_EQ(ends[0]->state(), Endpoint::State::open) << ends[0]->loss();
  std::uint64_t received = 0;
  ASSERT_TRUE(until([&] {
    if (sent < 1000 && ends[0]->post_send(&sent, sizeof sent, nullptr, 0) == Outcome::done) ++sent;
    for (Message message = ends[1]->poll_message(); message.data != nullptr; message = ends[1]->poll_message()) {
      EXPECT_EQ(std::memcmp(message.data, &received, sizeof received), 0);
      ++received;
    }
    return received == 1000;
  }));
}

TEST_F(VerbsEndpoints, AFloodWaitsForAReceiverThatDoesNotLook) { flood(); }
TEST_F(VerbsDatagrams, AFloodWaitsForAReceiverThatDoesNotLook) { flood(); }

TEST_F(VerbsEndpoints, ASleepEndsWithAnArrival) {
  connect();
  for (int round = 0; round < 20; ++round) {
    ports[1]->prepare_sleep();
    while (ports[1]->poll()) {}
    const std::int64_t before = os::now_ns();
    ends[0]->wake();
    ports[1]->sleep(20'000'000'000);
    EXPECT_LT(os::now_ns() - before, 10'000'000'000);
    ports[1]->cancel_sleep();
    while (turn()) {}
  }
  ports[1]->prepare_sleep();
  ports[1]->wake_self();
  ports[1]->sleep(20'000'000'000);
  ports[1]->cancel_sleep();
}

TEST_F(VerbsEndpoints, ALostPeerEndsWhatIsOutAndSaysWhy) {
  if (!ports[0]->caps().has(op_read)) GTEST_SKIP();
  connect();
  const Region here = allocate(0, 4096);
  const Region there = allocate(1, 4096);
  const Remote remote = there.remote;
  ports[1].reset();
  Operation operations[4] = {{false, Status::ok}, {false, Status::ok}, {false, Status::ok}, {false, Status::ok}};
  int posted = 0;
  for (Operation& operation : operations)
    if (ends[0]->post_read(here.local(), remote, 4096, operation) == Outcome::posted) ++posted;
  EXPECT_EQ(posted, 4);
  const os::Deadline deadline = os::Deadline::in_ms(20'000);
  while (!(operations[0].done && operations[3].done) && !deadline.passed()) (void)ports[0]->poll();
  for (const Operation& operation : operations) EXPECT_EQ(operation.status, Status::peer_lost);
  EXPECT_EQ(ends[0]->state(), Endpoint::State::lost);
  EXPECT_NE(std::string(ends[0]->loss()), "");
  EXPECT_EQ(ends[0]->post_send("x", 1, nullptr, 0), Outcome::failed);
}

}  // namespace
}  // namespace weft::fabric
