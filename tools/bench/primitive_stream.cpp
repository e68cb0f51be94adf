// Throughput of raw verbs: each client keeps its send queue full. WRITE, READ and the atomics ask nothing of the server's
// processor, so it sleeps; for SEND it takes the messages, posts receives again a quarter of the depth at a time and
// returns credit, the same over RC, UC and UD, so that no message ever finds no receive.
#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "bench/primitives.hpp"

namespace weft::bench {

using verbs::Operation;

namespace {

constexpr int receive_depth = verbs::Connections::receive_depth, quarter = receive_depth / 4;
constexpr std::uint32_t credit_bytes = sizeof(std::uint64_t);
constexpr double lost_after_seconds = 0.2;   // UC and UD: no credit for so long, and what is under way counts as lost

// So that the end of a measurement doesn't wait for gigabytes.
int most_in_flight(const verbs::QueuePair& pair, const Primitive& point) {
  constexpr std::uint32_t most_bytes = 8 << 20;
  return std::clamp(static_cast<int>(most_bytes / std::max(point.bytes, 1U)), 4, pair.send_depth());
}

// A client's view of the server's receives.
class Credit {
 public:
  Credit(const PrimitiveBench& bench, verbs::Connections& connections)
      : bench_(bench), connections_(connections), sum_(bench.at(bench.layout.incoming(0) + connections.pair(0).receive_offset())) {
    std::memset(sum_, 0, credit_bytes);
  }

  bool covers(int count) {
    if (outstanding() + count <= receive_depth) return true;
    int received = 0;
    connections_.receive(received);
    if (received > 0) connections_.post_receives(0, received);
    std::uint64_t seen = 0;
    std::memcpy(&seen, sum_, credit_bytes);   // a running sum: the latest is all that counts
    const std::uint64_t now = bench_.clock.now();
    if (seen > taken_) {
      taken_ = seen;
      last_news_ = now;
    } else if (last_news_ == 0) {
      last_news_ = now;
    } else if (now - last_news_ > bench_.clock.ticks(lost_after_seconds)) {
      lost_ = sent_ - taken_;
      last_news_ = now;
    }
    return outstanding() + count <= receive_depth;
  }
  void spend(int count) { sent_ += static_cast<std::uint64_t>(count); }

 private:
  int outstanding() const { return static_cast<int>(sent_ - taken_ - std::min(lost_, sent_ - taken_)); }

  const PrimitiveBench& bench_;
  verbs::Connections& connections_;
  std::byte* sum_;
  std::uint64_t sent_ = 0, taken_ = 0, lost_ = 0, last_news_ = 0;
};

StreamResult run_client(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point) {
  verbs::QueuePair& pair = connections.pair(0);
  const int window = most_in_flight(pair, point), reserve = pair.send_depth() - window;
  const int batch = std::clamp(bench.batch, 1, window / 2);
  pair.signal_every(std::min(point.signal_every, window / 2));
  const verbs::Work work = bench.work(point, pair, 0);
  const bool counts_credit = point.operation == Operation::send;
  Credit credit(bench, connections);
  EmptyPolls empty(bench.shares_core);
  const std::uint64_t begin = bench.clock.now(), end = begin + bench.clock.ticks(bench.seconds);
  double operations = 0;
  while (bench.clock.now() < end) {
    const bool room = pair.free_entries() - reserve >= batch || (pair.reap() > 0 && pair.free_entries() - reserve >= batch);
    if (!room || (counts_credit && !credit.covers(batch))) {
      empty.wait_a_bit();
      continue;
    }
    pair.post(work, batch);
    credit.spend(batch);
    operations += batch;
  }
  while (pair.free_entries() < 1 || (counts_credit && !credit.covers(1))) {
    if (pair.reap() == 0) empty.wait_a_bit();
  }
  pair.post_signalled(work);   // behind it everything has ended
  while (!pair.idle())
    if (pair.reap() == 0) empty.wait_a_bit();
  return {operations + 1, bench.clock.ns(bench.clock.now() - begin) / 1e9, 0};
}

void return_credit(const PrimitiveBench& bench, verbs::QueuePair& pair, int client, std::uint64_t sum, EmptyPolls& empty) {
  std::byte* place = bench.at(bench.layout.outgoing(client));
  std::memcpy(place, &sum, credit_bytes);
  verbs::Work work;
  work.operation = Operation::send;
  work.local = reinterpret_cast<std::uint64_t>(place);
  work.bytes = credit_bytes;
  work.in_line = pair.inline_limit() >= static_cast<int>(credit_bytes);
  while (pair.free_entries() == 0)
    if (pair.reap() == 0) empty.wait_a_bit();
  pair.post(work, 1);
}

// Until every client has ended; they say so by a barrier that the server looks at between polls.
StreamResult take_messages(const PrimitiveBench& bench, verbs::Connections& connections) {
  struct Client { std::uint64_t received = 0; int owed = 0; };
  std::vector<Client> clients(static_cast<std::size_t>(connections.peers()));
  for (int client = 0; client < connections.peers(); ++client) connections.pair(client).signal_every(16);
  EmptyPolls empty(bench.shares_core);
  StreamResult result;
  MPI_Request ended = MPI_REQUEST_NULL;
  MPI_Ibarrier(bench.active, &ended);
  constexpr int looks_between_tests = 64;
  int looks = 0, all_ended = 0;
  for (int count = 0; all_ended == 0 || count > 0;) {
    const auto& received = connections.receive(count);
    for (int i = 0; i < count; ++i) {
      const int number = static_cast<int>(received[static_cast<std::size_t>(i)].wr_id);
      Client& client = clients[static_cast<std::size_t>(number)];
      ++client.received;
      if (++client.owed < quarter) continue;
      connections.post_receives(number, client.owed);
      client.owed = 0;
      return_credit(bench, connections.pair(number), number, client.received, empty);
    }
    result.operations += count;
    if (count == 0) empty.wait_a_bit();
    if (all_ended == 0 && ++looks % looks_between_tests == 0) MPI_Test(&ended, &all_ended, MPI_STATUS_IGNORE);
  }
  for (int number = 0; number < connections.peers(); ++number)
    if (const int owed = clients[static_cast<std::size_t>(number)].owed; owed > 0) connections.post_receives(number, owed);
  return result;
}

}  // namespace

StreamResult stream(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point) {
  connections.settle();
  MPI_Barrier(bench.active);
  const double cpu_before = cpu_seconds_of_process();
  const std::uint64_t begin = bench.clock.now();
  StreamResult result;
  const bool polls = bench.is_server() && point.operation == Operation::send;
  if (polls) result = take_messages(bench, connections);
  else if (!bench.is_server()) result = run_client(bench, connections, point);
  if (!bench.is_server()) result.cpu_seconds = cpu_seconds_of_process() - cpu_before;
  if (!polls) {   // whoever polls has been told by this barrier
    MPI_Request ended = MPI_REQUEST_NULL;
    MPI_Ibarrier(bench.active, &ended);
    MPI_Wait(&ended, MPI_STATUS_IGNORE);
  }
  if (!bench.is_server()) return result;
  result.seconds = bench.clock.ns(bench.clock.now() - begin) / 1e9;
  result.cpu_seconds = cpu_seconds_of_process() - cpu_before;
  return result;
}

}  // namespace weft::bench
