// Latency of raw verbs, each operation timed by itself. SEND and WRITE go to and fro as in perftest: the last byte of the
// payload is the news, and half the round is the figure. READ and the atomics are timed to their completion. A message that
// UC or UD loses is sent again after a while, under a new number, and counted.
#include <mpi.h>

#include <algorithm>

#include "bench/primitives.hpp"

namespace weft::bench {

using verbs::Operation;

namespace {

constexpr std::uint8_t highest_number = 250, stop_number = 255;
constexpr int warm_up_rounds = 20, least_rounds = warm_up_rounds + 100;   // however short the time
constexpr double lost_after_seconds = 0.2;
constexpr int most_repeats = 20;   // of the last message, whose answer may be lost with nobody left to repeat it
constexpr int signal_interval = 64;

std::uint8_t next_number(std::uint8_t number) { return static_cast<std::uint8_t>(number % highest_number + 1); }

std::uint8_t look(const std::byte* place) { return *reinterpret_cast<const volatile std::uint8_t*>(place); }

// One end of the ping-pong with one peer.
class End {
 public:
  End(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point, int peer)
      : bench_(bench), connections_(connections), peer_(peer), pair_(connections.pair(peer)), work_(bench.work(point, pair_, peer)),
        sends_(point.operation == Operation::send), empty_(bench.shares_core) {
    const std::size_t last = point.bytes - 1;
    out_ = bench.at(bench.layout.outgoing(peer)) + last;
    in_ = bench.at(bench.layout.incoming(peer)) + last + (sends_ ? pair_.receive_offset() : 0);
    *in_ = std::byte{0};
    pair_.signal_every(std::min(signal_interval, point.signal_every));
  }

  void post(std::uint8_t number) {
    *out_ = static_cast<std::byte>(number);
    while (pair_.free_entries() == 0)
      if (pair_.reap() == 0) empty_.wait_a_bit();
    if (number == stop_number) pair_.post_signalled(work_);
    else pair_.post(work_, 1);
    if (pair_.free_entries() < pair_.send_depth() / 2) pair_.reap();
  }

  // The number that lies there; of a SEND only once its receive has completed. The server looks for all its clients at once.
  std::uint8_t number() {
    if (sends_) {
      int count = 0;
      connections_.receive(count);
      if (count == 0) return seen_;
      connections_.post_receives(peer_, count);
    }
    return seen_ = look(in_);
  }
  std::uint8_t peek() const { return look(in_); }
  // Behind the last message, which is signalled: nothing of this end stays in the queue.
  void finish() {
    while (!pair_.idle())
      if (pair_.reap() == 0) empty_.wait_a_bit();
  }
  EmptyPolls& empty() { return empty_; }

 private:
  const PrimitiveBench& bench_;
  verbs::Connections& connections_;
  int peer_;
  verbs::QueuePair& pair_;
  verbs::Work work_;
  bool sends_;
  EmptyPolls empty_;
  std::byte* out_;
  std::byte* in_;
  std::uint8_t seen_ = 0;
};

// False when no answer came in time.
bool wait_for(End& end, std::uint8_t number, const TickClock& clock, std::uint64_t patience_ticks) {
  const std::uint64_t begin = clock.now();
  while (end.number() != number) {
    if (clock.now() - begin > patience_ticks) return false;
    end.empty().wait_a_bit();
  }
  return true;
}

std::uint64_t ping(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point, Histogram& times) {
  End end(bench, connections, point, 0);
  const std::uint64_t patience_ticks = bench.clock.ticks(lost_after_seconds), deadline = bench.clock.now() + bench.clock.ticks(bench.seconds);
  std::uint64_t repeated = 0, previous = bench.clock.now();
  std::uint8_t number = 0;
  for (int round = 0; previous < deadline || round < least_rounds; ++round) {
    number = next_number(number);
    end.post(number);
    while (!wait_for(end, number, bench.clock, patience_ticks)) {
      number = next_number(number);
      ++repeated;
      end.post(number);
    }
    const std::uint64_t now = bench.clock.now();
    if (round >= warm_up_rounds) times.add(bench.clock.ns(now - previous) / 2);
    previous = now;
  }
  end.post(stop_number);
  for (int i = 0; i < most_repeats && !wait_for(end, stop_number, bench.clock, patience_ticks); ++i) end.post(stop_number);
  end.finish();
  return repeated;
}

// The server's side, for all clients: whatever number comes goes back.
void pong(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point) {
  std::vector<End> ends;
  for (int client = 0; client < point.clients; ++client) ends.emplace_back(bench, connections, point, client);
  std::vector<std::uint8_t> answered(ends.size(), 0);
  const auto answer = [&](std::size_t client) {
    const std::uint8_t number = ends[client].peek();
    if (number == answered[client]) return false;
    answered[client] = number;
    ends[client].post(number);
    return number == stop_number;
  };
  EmptyPolls empty(bench.shares_core);
  MPI_Barrier(bench.active);
  for (std::size_t stopped = 0; stopped < ends.size();) {
    const std::size_t before = stopped;
    if (point.operation == Operation::send) {
      int count = 0;
      const auto& received = connections.receive(count);
      for (int i = 0; i < count; ++i) {
        const auto client = static_cast<std::size_t>(received[static_cast<std::size_t>(i)].wr_id);
        if (answer(client)) ++stopped;
        connections.post_receives(static_cast<int>(client), 1);
      }
      if (count > 0) continue;
    } else {
      for (std::size_t client = 0; client < ends.size(); ++client)
        if (answered[client] != stop_number && answer(client)) ++stopped;
    }
    if (stopped == before) empty.wait_a_bit();
  }
  for (End& end : ends) end.finish();
}

void time_to_completion(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point, Histogram& times) {
  verbs::QueuePair& pair = connections.pair(0);
  pair.signal_every(1);
  const verbs::Work work = bench.work(point, pair, 0);
  EmptyPolls empty(bench.shares_core);
  std::uint64_t previous = bench.clock.now();
  const std::uint64_t deadline = previous + bench.clock.ticks(bench.seconds);
  for (int round = 0; previous < deadline || round < least_rounds; ++round) {
    pair.post(work, 1);
    while (pair.reap() == 0) empty.wait_a_bit();
    const std::uint64_t now = bench.clock.now();
    if (round >= warm_up_rounds) times.add(bench.clock.ns(now - previous));
    previous = now;
  }
}

}  // namespace

std::uint64_t time_single_operations(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point, Histogram& times) {
  const bool to_and_fro = point.operation == Operation::send || point.operation == Operation::write;
  std::uint64_t repeated = 0;
  connections.settle();
  if (to_and_fro && bench.is_server()) {
    pong(bench, connections, point);
  } else {
    MPI_Barrier(bench.active);
    if (to_and_fro) repeated = ping(bench, connections, point, times);
    else if (!bench.is_server()) time_to_completion(bench, connections, point, times);
  }
  MPI_Barrier(bench.active);
  return repeated;
}

}  // namespace weft::bench
