// Two processes, one a guest, with nothing but verbs ports: `endpoint_pair MODE ROUNDS BYTES`, the guest n0 serves. MODE: write
// (with immediate), send, stream (one way, checked), add (fetch-and-add; whole). Prints "under way" once it is, for who wants to
// strike then, and at the end medians of half a round trip in microseconds.
#include <arpa/inet.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "fabric/fabrics.hpp"
#include "os/clock.hpp"
#include "os/options.hpp"

using namespace weft;
using namespace weft::fabric;

namespace {

constexpr int rounds_before_under_way = 10;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "endpoint_pair: %s\n", why.c_str());
  std::exit(1);
}

int meet(int rank) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(18700);
  address.sin_addr.s_addr = inet_addr("10.77.0.1");
  if (rank == 0) {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    const int one = 1;
    (void)::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(listener, 1) != 0) give_up("no socket");
    return ::accept(listener, nullptr, nullptr);
  }
  for (int tries = 0; tries < 200; ++tries) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
    ::close(fd);
    ::usleep(50'000);
  }
  give_up("nobody serves");
}

template <class T>
T swap(int fd, const T& ours) {
  T theirs;
  if (::write(fd, &ours, sizeof ours) != sizeof ours || ::recv(fd, &theirs, sizeof theirs, MSG_WAITALL) != sizeof theirs) give_up("the peer is gone");
  return theirs;
}

struct Plan {
  std::string mode;
  int rounds;
  std::size_t bytes;
  int rank;
};

class Pair {
 public:
  Pair(const Plan& plan, int fd) : plan_(plan), fd_(fd), text_(plan.bytes) {
    open_port();
    open_endpoint();
    if (!port_->caps().has(op_write)) return;
    ring_ = *port_->allocate(std::max<std::size_t>(plan_.bytes, 64));
    remote_ = swap(fd_, ring_.remote);
  }

  void round(int number) {
    if (plan_.mode == "add") {
      if (plan_.rank == 1) add(number);
    } else if (plan_.mode == "stream") {
      plan_.rank == 1 ? send(number) : receive(number);
    } else if (plan_.rank == 1) {
      send(number);
      receive(number);
    } else {
      receive(number);
      send(number);
    }
  }
  // Each polls until the other is through as well, and for a little longer.
  void part() {
    char over = 1;
    (void)!::write(fd_, &over, 1);
    until([&] { return ::recv(fd_, &over, 1, MSG_DONTWAIT) == 1; });
    const os::Deadline linger = os::Deadline::in_ms(300);
    until([&] { return linger.passed(); });
  }

 private:
  void open_port() {
    Circumstances circumstances;
    circumstances.world_rank = plan_.rank;
    circumstances.world_size = 2;
    circumstances.local_peers = {plan_.rank};
    for (const Fabric& fabric : fabrics()) {
      if (std::string_view(fabric.name) != "verbs") continue;
      Expected<std::unique_ptr<Port>> opened = fabric.open(circumstances);
      if (!opened) give_up(opened.failure().note);
      port_ = std::move(*opened);
    }
  }
  void open_endpoint() {
    struct Text {
      char text[256];
      std::size_t length;
    } card{};
    const std::string ours = port_->card();
    std::memcpy(card.text, ours.data(), card.length = ours.size());
    const Text peer = swap(fd_, card);
    Expected<Endpoint*> endpoint = port_->open(1 - plan_.rank, std::string(peer.text, peer.length), Opening{});
    if (!endpoint) give_up(endpoint.failure().note);
    end_ = *endpoint;
    until([&] { return (void)port_->poll_contact(), end_->state() == Endpoint::State::open; });
  }

  void until(const std::function<bool()>& condition) {
    const os::Deadline deadline = os::Deadline::in_ms(100'000);
    for (int turn = 0; !condition(); ++turn) {
      if (!port_->poll()) (void)::sched_yield();   // a guest has one processor, and the device needs it
      if (end_->state() == Endpoint::State::lost) give_up(std::string("lost: ") + end_->loss());
      if (turn % 100'000 == 99'999 && deadline.passed()) give_up("it takes too long");
    }
  }
  void post(const std::function<Outcome()>& what) {
    until([&] {
      const Outcome outcome = what();
      if (outcome == Outcome::failed) give_up(std::string("post failed: ") + end_->loss());
      return outcome != Outcome::again;
    });
  }
  void add(int number) {
    AtomicOperation operation{{false, Status::ok}, 0};
    post([&] { return end_->post_fetch_add(remote_, 1, operation); });
    until([&] { return operation.done; });
    if (operation.value != static_cast<std::uint64_t>(number)) give_up("a wrong sum");
  }
  void send(int number) {
    if (plan_.mode == "write") return post([&] { return end_->post_write(ring_.local(), remote_, plan_.bytes, Notify::immediate, nullptr); });
    std::memcpy(text_.data(), &number, std::min(plan_.bytes, sizeof number));
    post([&] { return end_->post_send(text_.data(), plan_.bytes, nullptr, 0); });
  }
  void receive(int number) {
    if (plan_.mode == "write") return until([&] { return end_->immediates() > static_cast<std::uint64_t>(number); });
    Message message;
    until([&] { return (message = end_->poll_message()).data != nullptr; });
    if (message.bytes != plan_.bytes || std::memcmp(message.data, &number, std::min(plan_.bytes, sizeof number)) != 0) give_up("a wrong message");
  }

  Plan plan_;
  int fd_;
  std::unique_ptr<Port> port_;
  Endpoint* end_ = nullptr;
  Region ring_{};
  Remote remote_{};
  std::vector<std::byte> text_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 4 || std::getenv("NODE_ID") == nullptr) give_up("endpoint_pair MODE ROUNDS BYTES, in guests");
  const Plan plan{words[1], std::atoi(words[2]), static_cast<std::size_t>(std::atol(words[3])), std::atoi(std::getenv("NODE_ID"))};
  if (!os::load_options()) give_up("options");
  Pair pair(plan, meet(plan.rank));
  std::vector<double> times;
  const std::int64_t start = os::now_ns();
  for (int round = 0; round < plan.rounds; ++round) {
    if (round == rounds_before_under_way) {
      std::puts("under way");
      std::fflush(stdout);
    }
    const std::int64_t before = os::now_ns();
    pair.round(round);
    times.push_back(static_cast<double>(os::now_ns() - before) / (plan.mode == "add" ? 1e3 : 2e3));
  }
  const double seconds = static_cast<double>(os::now_ns() - start) / 1e9;
  std::sort(times.begin(), times.end());
  if (plan.rank == 1)
    std::printf("%s %zu B: median %.1f us, p10 %.1f, %.1f MB/s, %.0f/s\n", plan.mode.c_str(), plan.bytes, times[times.size() / 2], times[times.size() / 10],
                static_cast<double>(plan.bytes) * plan.rounds / seconds / 1e6, plan.rounds / seconds);
  std::fflush(stdout);
  pair.part();
}
