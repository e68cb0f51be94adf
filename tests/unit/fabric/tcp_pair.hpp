// Two or more tcp ports in one process, cards exchanged by hand, all polled by one thread.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric/tcp/port.hpp"
#include "os/clock.hpp"
#include "os/options.hpp"

namespace weft::fabric::tcp {

inline Opening opening_saying(const char* words) {
  Opening opening{};
  std::memcpy(opening.data(), words, std::strlen(words));
  return opening;
}

struct Ports {
  std::vector<std::unique_ptr<Port>> ports;
  std::vector<Endpoint*> towards_first;      // of ranks 1 and up; null before connect()
  std::vector<Endpoint*> of_first;

  explicit Ports(int count) {
    (void)os::load_options();
    Circumstances circumstances;
    circumstances.world_size = count;
    for (int rank = 0; rank < count; ++rank) {
      circumstances.world_rank = rank;
      Expected<std::unique_ptr<Port>> port = TcpPort::open(circumstances);
      EXPECT_TRUE(port) << (port ? "" : port.failure().note);
      ports.push_back(std::move(*port));
    }
  }

  TcpPort& port(int rank) { return static_cast<TcpPort&>(*ports[static_cast<std::size_t>(rank)]); }

  Endpoint* open(int from, int to, const char* words = "") {
    Expected<Endpoint*> endpoint = port(from).open(to, port(to).card(), opening_saying(words));
    EXPECT_TRUE(endpoint) << (endpoint ? "" : endpoint.failure().note);
    return *endpoint;
  }

  // Polls all ports until it is so; false after `seconds`.
  bool run_until(const std::function<bool()>& is_so, int seconds = 20) {
    const os::Deadline deadline = os::Deadline::in_ms(seconds * 1000);
    while (!is_so()) {
      if (deadline.passed()) return false;
      for (auto& each : ports)
        if (each) (void)each->poll();
    }
    return true;
  }
};

// Ranks 0 and 1, connected.
struct Pair : Ports {
  Endpoint* a;
  Endpoint* b;

  Pair() : Ports(2) {
    a = open(0, 1, "from zero");
    b = open(1, 0, "from one");
    EXPECT_TRUE(run_until([this] { return a->state() == Endpoint::State::open && b->state() == Endpoint::State::open; })) << a->loss() << b->loss();
  }
};

}  // namespace weft::fabric::tcp
