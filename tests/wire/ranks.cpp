// Starting ranks as threads.
#include "ranks.hpp"

#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include "os/options.hpp"

namespace weft::wire {
namespace {

match::TypedBuffer bytes_of(const void* data, std::size_t bytes) {
  return {const_cast<void*>(data), static_cast<std::int64_t>(bytes), data::predefined(data::number::byte)};
}

std::unique_ptr<fabric::shm::ShmPort> open_port(int rank, int ranks, fabric::RingShape shape, std::promise<std::string>& card,
                                                const std::shared_future<std::string>& seen) {
  std::vector<int> peers(static_cast<std::size_t>(ranks));
  std::iota(peers.begin(), peers.end(), 0);
  Expected<fabric::shm::ShmPort*> opened = fabric::shm::ShmPort::open(peers, rank, shape);
  EXPECT_TRUE(opened) << (opened ? "" : opened.failure().note);
  std::unique_ptr<fabric::shm::ShmPort> port(*opened);
  if (rank == 0) card.set_value(port->card());
  const Done connected = port->connect(seen.get(), os::Deadline::in_ms(20'000));
  EXPECT_TRUE(connected) << (connected ? "" : connected.failure().note);
  return port;
}

}  // namespace

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
  std::promise<std::string> card;
  const std::shared_future<std::string> seen = card.get_future().share();
  std::vector<std::thread> threads;
  for (int number = 0; number < ranks; ++number)
    threads.emplace_back([&, number] {
      auto self = std::make_unique<fabric::self::SelfPort>(number, setting.shape);
      std::unique_ptr<fabric::shm::ShmPort> shm;
      if (ranks > 1) shm = open_port(number, ranks, setting.shape, card, seen);
      match::Engine engine;
      ASSERT_TRUE(engine.open(std::make_unique<channel::Switchboard>(number, setting.paradigm, std::move(self), std::move(shm)), number, ranks));
      Rank rank{number, ranks, engine};
      body(rank);
      engine.close();
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace weft::wire
