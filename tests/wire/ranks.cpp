// Starting ranks as threads.
#include "ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <numeric>
#include <ostream>
#include <thread>
#include <vector>

#include "channel/cards.hpp"
#include "fabric/chaos/port.hpp"
#include "fabric/fabrics.hpp"
#include "os/options.hpp"

namespace weft::wire {
namespace {

match::TypedBuffer bytes_of(const void* data, std::size_t bytes) {
  return {const_cast<void*>(data), static_cast<std::int64_t>(bytes), data::predefined(data::number::byte)};
}

using Ports = std::vector<std::unique_ptr<fabric::Port>>;

// What PMIx does between processes: every rank puts its card, waits for all, and may get any.
struct Cards {
  explicit Cards(int ranks) : of(static_cast<std::size_t>(ranks)), fence(ranks) {}
  std::vector<std::string> of;
  std::barrier<> fence;
};

fabric::Circumstances circumstances_of(int rank, int ranks, fabric::RingShape shape) {
  fabric::Circumstances circumstances;
  circumstances.world_rank = rank;
  circumstances.world_size = ranks;
  circumstances.local_peers.resize(static_cast<std::size_t>(ranks));
  std::iota(circumstances.local_peers.begin(), circumstances.local_peers.end(), 0);
  circumstances.host = "here";
  circumstances.job = "wire";
  circumstances.shape = shape;
  return circumstances;
}

Ports open_ports(int rank, const Setting& setting, Cards& cards) {
  const int ranks = static_cast<int>(cards.of.size());
  const fabric::Circumstances circumstances = circumstances_of(rank, ranks, setting.shape);
  Ports ports;
  std::vector<fabric::Port*> views;
  for (const fabric::Fabric& fabric : fabric::fabrics()) {
    if (fabric.name != setting.fabric || ranks == 1) continue;
    Expected<std::unique_ptr<fabric::Port>> port = fabric.open(circumstances);
    EXPECT_TRUE(port) << (port ? "" : port.failure().note);
    if (setting.chaos_seed != 0) *port = std::make_unique<fabric::chaos::ChaosPort>(std::move(*port), setting.chaos_seed + static_cast<std::uint64_t>(rank) * 1'000'000);
    views.push_back(port->get());
    ports.push_back(std::move(*port));
  }
  cards.of[static_cast<std::size_t>(rank)] = channel::compose_card(setting.paradigm, views);
  cards.fence.arrive_and_wait();
  for (fabric::Port* port : views) {
    const Done connected = port->connect(std::string(channel::port_card(cards.of[0], port->name())), os::Deadline::in_ms(20'000));
    EXPECT_TRUE(connected) << (connected ? "" : connected.failure().note);
  }
  return ports;
}

}  // namespace

void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.fabric << ' ' << setting.paradigm << (setting.direct ? " " : " by endpoint ") << ' ' << setting.shape.slots << '/' << setting.shape.payload;
  if (setting.rendezvous != "auto") *out << " by " << setting.rendezvous;
  if (setting.chaos_seed != 0) *out << " chaos seed " << setting.chaos_seed;
}

std::vector<Setting> pairings(fabric::RingShape shape) {
  using channel::LinkType;
  (void)os::load_options();
  std::vector<Setting> found;
  for (const fabric::Fabric& fabric : fabric::fabrics()) {
    const Expected<std::unique_ptr<fabric::Port>> port = fabric.open(circumstances_of(0, 2, shape));
    if (!port) continue;
    for (const LinkType request : {LinkType::push, LinkType::pull, LinkType::message, LinkType::stream})
      for (const LinkType reply : {LinkType::push, LinkType::pull, LinkType::message, LinkType::stream}) {
        const std::string paradigm = std::string(channel::link_verb(request)) + "-" + channel::link_verb(reply);
        if (!channel::lacking({"", request, reply, ""}, (*port)->caps()).empty()) continue;
        found.push_back({shape, paradigm, fabric.name});
      }
  }
  return found;
}

std::vector<Setting> rendezvous_settings(fabric::RingShape shape) {
  (void)os::load_options();
  std::vector<Setting> found;
  for (const fabric::Fabric& fabric : fabric::fabrics()) {
    if (fabric.within_node) continue;          // the kernel copies
    const Expected<std::unique_ptr<fabric::Port>> port = fabric.open(circumstances_of(0, 2, shape));
    if (!port) continue;
    for (const char* rendezvous : {"get", "put", "fragments"})
      for (const char* paradigm : {"write-write", "send-write", "read-read", "socket-socket"}) {
        const channel::Paradigm links = *channel::parse_paradigm(paradigm);
        const fabric::Caps& caps = (*port)->caps();
        if (!channel::lacking(links, caps).empty() || !channel::rendezvous_over(links.request, caps, rendezvous)) continue;
        Setting setting{shape, paradigm, fabric.name};
        setting.rendezvous = rendezvous;
        found.push_back(setting);
      }
  }
  return found;
}

void Rank::send(int peer, int tag, const void* data, std::size_t bytes, std::uint64_t context) {
  match::Request* request = engine.post_send(peer, context, number, tag, bytes_of(data, bytes), match::SendMode::standard);
  engine.wait(*request);
  EXPECT_EQ(request->status, Status::ok);
  request->release();
}

std::size_t Rank::receive(int source, int tag, void* data, std::size_t bytes, std::uint64_t context) {
  match::Request* request = engine.post_receive(source, context, tag, bytes_of(data, bytes));
  engine.wait(*request);
  EXPECT_EQ(request->status, Status::ok);
  const std::size_t got = request->bytes;
  request->release();
  return got;
}

void run(int ranks, const Setting& setting, const std::function<void(Rank&)>& body) {
  (void)os::load_options();
  Cards cards(ranks);
  std::vector<std::thread> threads;
  for (int number = 0; number < ranks; ++number)
    threads.emplace_back([&, number] {
      auto self = std::make_unique<fabric::self::SelfPort>(number, setting.shape);
      channel::SwitchboardPlan plan;
      plan.world_rank = number;
      plan.rules = plan.settings = setting.paradigm;
      plan.rendezvous = setting.rendezvous;
      plan.direct = setting.direct;
      plan.shape = setting.shape;
      plan.cards = [&cards](int rank) -> Expected<std::string> { return cards.of[static_cast<std::size_t>(rank)]; };
      match::Engine engine;
      ASSERT_TRUE(engine.open(std::make_unique<channel::Switchboard>(plan, std::move(self), open_ports(number, setting, cards)), number, ranks, setting.lost));
      Rank rank{number, ranks, engine};
      body(rank);
      engine.finish_sends();
      std::atomic<bool> over{false};       // as take_down() leaves: together, and with progress until then
      std::thread fence([&] {
        cards.fence.arrive_and_wait();
        over = true;
        engine.waiting().ring();
      });
      engine.wait_until([&over] { return over.load(); });
      fence.join();
      engine.close();
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace weft::wire
