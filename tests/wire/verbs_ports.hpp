// Two verbs ports in one process and one thread, over whatever RDMA device the host has; tests skip themselves where there is
// none (tests/vm has one).
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "fabric/fabrics.hpp"
#include "os/clock.hpp"
#include "os/options.hpp"
#include "os/scoped_variable.hpp"

namespace weft::fabric {

inline Opening opening_of(int value) {
  Opening opening{};
  opening[0] = static_cast<std::byte>(value);
  opening[127] = static_cast<std::byte>(value + 1);
  return opening;
}

class Verbs : public testing::Test {
 protected:
  explicit Verbs(const char* transport = "rc") : transport_("WEFT_VERBS_TRANSPORT", transport) {}
  void SetUp() override {
    ASSERT_TRUE(os::load_options());
    for (int rank = 0; rank < 2; ++rank) {
      Circumstances circumstances;
      circumstances.world_rank = rank;
      circumstances.world_size = 2;
      circumstances.local_peers = {0, 1};
      circumstances.job = "verbs-test";
      for (const Fabric& fabric : fabrics()) {
        if (std::string_view(fabric.name) != "verbs") continue;
        Expected<std::unique_ptr<Port>> port = fabric.open(circumstances);
        if (!port && port.failure().status == Status::unsupported) GTEST_SKIP() << port.failure().note;
        ASSERT_TRUE(port) << port.failure().note;
        ports[rank] = std::move(*port);
      }
    }
  }

  bool turn() {
    const bool first = ports[0]->poll();
    return ports[1]->poll() || first;
  }
  // False: it has not happened in a long time.
  bool until(const std::function<bool()>& condition) {
    const os::Deadline deadline = os::Deadline::in_ms(20'000);
    while (!condition()) {
      (void)turn();
      if (deadline.passed()) return false;
    }
    return true;
  }
  // Rank 0 opens, rank 1 does when it is told.
  void connect() {
    Expected<Endpoint*> first = ports[0]->open(1, ports[1]->card(), opening_of(3));
    ASSERT_TRUE(first) << first.failure().note;
    ends[0] = *first;
    EXPECT_EQ(ends[0]->state(), Endpoint::State::opening);
    ASSERT_TRUE(until([&] { return ports[1]->poll_contact() == 0; }));
    Expected<Endpoint*> second = ports[1]->open(0, ports[0]->card(), opening_of(7));
    ASSERT_TRUE(second) << second.failure().note;
    ends[1] = *second;
    ASSERT_TRUE(until([&] { return ends[0]->state() == Endpoint::State::open && ends[1]->state() == Endpoint::State::open; }));
    EXPECT_EQ(ends[0]->peer_opening(), opening_of(7));
    EXPECT_EQ(ends[1]->peer_opening(), opening_of(3));
    EXPECT_EQ(ports[0]->poll_contact(), -1);
  }
  Region allocate(int rank, std::size_t bytes) {
    Expected<Region> region = ports[rank]->allocate(bytes);
    EXPECT_TRUE(region) << region.failure().note;
    return *region;
  }
  void post(const std::function<Outcome()>& what) {
    Outcome outcome = Outcome::again;
    ASSERT_TRUE(until([&] { return (outcome = what()) != Outcome::again; }));
    ASSERT_NE(outcome, Outcome::failed);
  }

  os::ScopedVariable transport_;
  os::ScopedVariable cache_{"WEFT_VERBS_CACHE_ENTRIES", "4"};
  std::unique_ptr<Port> ports[2];
  Endpoint* ends[2] = {};
};

}  // namespace weft::fabric
