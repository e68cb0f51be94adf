// Strangers, wrong callers, crossing calls, and how connecting fails.
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "os/socket.hpp"
#include "tcp_pair.hpp"

namespace weft::fabric::tcp {
namespace {

os::Fd call(TcpPort& port) {
  os::Address loopback;
  EXPECT_TRUE(os::parse_address("127.0.0.1", loopback));
  Expected<os::Fd> socket = os::begin_connect(loopback, port.our_card().port);
  EXPECT_TRUE(socket);
  return std::move(*socket);
}

bool is_closed(const os::Fd& socket) {
  char byte;
  return os::receive_now(socket.get(), &byte, 1) < 0;
}

TEST(TcpStrangers, GetNothingAndDisturbNothing) {
  Ports ports(2);
  const os::Fd garbage = call(ports.port(0)), silent = call(ports.port(0)), closing = call(ports.port(0)), late = call(ports.port(0));
  (void)ports.run_until([] { return false; }, 1);
  const std::string words(4096, 'x');
  EXPECT_GT(os::send_now(garbage.get(), words.data(), words.size()), 0);
  Hello hello;                                          // of another job: well formed, made with another key
  hello.port_id = ports.port(0).our_card().id;
  hello.rank = 1;
  Proofs proofs{{1, 2}, hello, {}};
  hello.proof = proofs.of_hello();
  EXPECT_GT(os::send_now(late.get(), &hello, sizeof hello), 0);
  Endpoint* a = ports.open(0, 1);
  Endpoint* b = ports.open(1, 0);
  EXPECT_TRUE(ports.run_until([&] { return a->state() == Endpoint::State::open && b->state() == Endpoint::State::open; }));
  EXPECT_TRUE(ports.run_until([&] { return is_closed(garbage) && is_closed(late); }));
  EXPECT_TRUE(ports.run_until([&] { return is_closed(silent); }, 15));       // without a word, and in bounded time
  EXPECT_EQ(ports.port(0).poll_contact(), -1);
}

// Its time is up and it speaks, and both are found in the same look: whoever ends it must leave it there for the look to end.
TEST(TcpStrangers, SpeakingTooLateIsNoHarm) {
  Ports ports(1);
  const os::Fd socket = call(ports.port(0));
  (void)ports.run_until([] { return false; }, 1);
  std::this_thread::sleep_for(std::chrono::seconds(6));
  EXPECT_GT(os::send_now(socket.get(), "late", 4), 0);
  EXPECT_TRUE(ports.run_until([&] { return is_closed(socket); }));
}

// A greeting that was overheard is of no use: the port answers with a nonce of its own.
TEST(TcpStrangers, AnOverheardGreetingIsNoWayIn) {
  Ports ports(2);
  Hello hello;
  hello.port_id = ports.port(0).our_card().id;
  hello.rank = 1;
  Proofs proofs{ports.port(0).our_card().key, hello, {}};
  hello.proof = proofs.of_hello();
  const os::Fd socket = call(ports.port(0));
  (void)ports.run_until([] { return false; }, 1);
  ASSERT_EQ(os::send_now(socket.get(), &hello, sizeof hello), static_cast<os::Moved>(sizeof hello));
  Answer answer;
  ASSERT_TRUE(ports.run_until([&] { return os::receive_now(socket.get(), &answer, sizeof answer) == static_cast<os::Moved>(sizeof answer); }));
  Confirm confirm;                                      // of another time
  confirm.proof = proofs.of_confirm(confirm.opening);
  ASSERT_GT(os::send_now(socket.get(), &confirm, sizeof confirm), 0);
  EXPECT_TRUE(ports.run_until([&] { return is_closed(socket); }));
  EXPECT_EQ(ports.port(0).poll_contact(), -1);
}

TEST(TcpStrangers, ACrowdOfThemDoesNotKeepARankOut) {
  Ports ports(2);
  std::vector<os::Fd> crowd;
  for (int i = 0; i < 600; ++i) crowd.push_back(call(ports.port(0)));
  Endpoint* b = ports.open(1, 0);
  Endpoint* a = ports.open(0, 1);
  EXPECT_TRUE(ports.run_until([&] { return a->state() == Endpoint::State::open && b->state() == Endpoint::State::open; })) << a->loss() << b->loss();
}

TEST(TcpContacts, ManyCallsThatCrossMakeOneConnectionEach) {
  for (int turn = 0; turn < 50; ++turn) {
    Pair pair;
    char byte = 'a', got = 0;
    const iovec piece{&byte, 1};
    EXPECT_TRUE(pair.run_until([&] { return pair.a->post_stream(&piece, 1) == 1; }));
    EXPECT_TRUE(pair.run_until([&] { return pair.b->post_stream(&piece, 1) == 1; }));
    EXPECT_TRUE(pair.run_until([&] { return pair.b->poll_stream(&got, 1) == 1; }));
    EXPECT_TRUE(pair.run_until([&] { return pair.a->poll_stream(&got, 1) == 1; }));
    EXPECT_EQ(got, 'a');
  }
}

TEST(TcpContacts, AFailureNamesEveryAddressThatWasTried) {
  Ports ports(2);
  const std::string card = ports.port(1).card();
  ports.ports[1].reset();                               // nobody listens there any more
  Expected<Endpoint*> endpoint = ports.port(0).open(1, card, Opening{});
  ASSERT_TRUE(endpoint);
  EXPECT_TRUE(ports.run_until([&] { return (*endpoint)->state() == Endpoint::State::lost; }));
  Card theirs;
  ASSERT_TRUE(parse(card, theirs));
  const std::string loss = (*endpoint)->loss();
  for (const os::Address& address : candidates(ports.port(0).our_card(), theirs))
    EXPECT_NE(loss.find(os::text_of(address, theirs.port) + ": Connection refused"), std::string::npos) << loss;
}

TEST(TcpContacts, AWrongHostThatAnswersIsRecognised) {
  Ports ports(3);
  Card theirs;
  ASSERT_TRUE(parse(ports.port(1).card(), theirs));
  theirs.port = ports.port(2).our_card().port;          // another rank listens where rank 1 should be
  Expected<Endpoint*> endpoint = ports.port(0).open(1, compose(theirs), Opening{});
  ASSERT_TRUE(endpoint);
  EXPECT_TRUE(ports.run_until([&] { return (*endpoint)->state() == Endpoint::State::lost; }));
  EXPECT_EQ(ports.port(2).poll_contact(), -1);
}

// What an option says, for one test.
struct Variable {
  const char* name;
  Variable(const char* of, const char* value) : name(of) { ::setenv(of, value, 1); }
  ~Variable() {
    ::unsetenv(name);
    (void)os::load_options();
  }
};

TEST(TcpContacts, IPv6AloneWillDo) {
  const Variable interfaces("WEFT_TCP_INTERFACES", "::1");
  Pair pair;
  for (const os::InterfaceAddress& entry : pair.port(0).our_card().addresses) EXPECT_EQ(entry.address.version, 6);
}

TEST(TcpContacts, SeveralSocketsShareALargeRead) {
  const Variable sockets("WEFT_TCP_SOCKETS", "4");
  Pair pair;
  std::vector<std::byte> memory(20'000'000), got(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 4099);
  Region region;
  ASSERT_EQ(pair.port(1).expose(memory.data(), memory.size(), region), Status::ok);
  for (int turn = 0; turn < 5; ++turn) {                 // the first finds one socket, the later ones four
    std::fill(got.begin(), got.end(), std::byte{0});
    std::vector<Operation> parts(20);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].done = false;
      ASSERT_TRUE(pair.run_until([&] { return pair.a->post_read({got.data() + i * 1'000'000, 0}, region.remote_at(i * 1'000'000), 1'000'000, parts[i]) == Outcome::posted; }));
    }
    ASSERT_TRUE(pair.run_until([&] { return std::all_of(parts.begin(), parts.end(), [](const Operation& part) { return part.done; }); })) << pair.a->loss();
    ASSERT_EQ(got, memory);
  }
  for (std::uint32_t lane = Lane::first_extra; lane < Lane::first_extra + 3; ++lane) EXPECT_TRUE(static_cast<TcpEndpoint*>(pair.a)->has_lane(lane));
}

TEST(TcpContacts, AnInterfaceThatIsNotThereIsAnError) {
  const Variable interfaces("WEFT_TCP_INTERFACES", "nonesuch0");
  (void)os::load_options();
  const auto port = TcpPort::open(Circumstances{});
  ASSERT_FALSE(port);
  EXPECT_EQ(port.failure().status, Status::bad_argument);
  EXPECT_NE(port.failure().note.find("lo 127.0.0.1/8"), std::string::npos) << port.failure().note;
}

TEST(TcpContacts, AKilledPeerIsLost) {
  Pair pair;
  Operation read{false, Status::ok};
  Expected<Region> there = pair.port(1).allocate(64);
  ASSERT_TRUE(there);
  std::byte room[64];
  ASSERT_EQ(pair.a->post_read({room, 0}, there->remote, 64, read), Outcome::posted);
  for (int fd = 3; fd < 256; ++fd) {                    // ends without a word, as the kernel does it for a process that is killed
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0 && address.ss_family != AF_UNIX) (void)::shutdown(fd, SHUT_RDWR);
  }
  EXPECT_TRUE(pair.run_until([&] { return pair.a->state() == Endpoint::State::lost && read.done; }));
  EXPECT_EQ(read.status, Status::peer_lost);
  EXPECT_NE(std::string(pair.a->loss()).find("without a goodbye"), std::string::npos) << pair.a->loss();
}

}  // namespace
}  // namespace weft::fabric::tcp
