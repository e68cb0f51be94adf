// The two sides of the echo; see paradigms.hpp. Receives are posted ahead and nobody waits for a send it needn't wait for,
// so that a server's clients don't wait for one another.
#include <weft.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <thread>

#include "bench/paradigms.hpp"

namespace weft::bench {
namespace {

constexpr int request_tag = 6, reply_tag = 7, end_tag = 8;

// One thread of a server, for the clients of its communicator.
class Poller {
 public:
  Poller(MPI_Comm comm, const EchoPoint& point, int clients) : comm_(comm), clients_(clients), bytes_(static_cast<int>(point.bytes)) {
    constexpr int most_slots = 256;
    const auto slots = static_cast<std::size_t>(std::clamp(clients * point.window, 1, most_slots));
    buffers_.assign(slots, std::vector<std::byte>(std::max<std::size_t>(point.bytes, 1)));
    requests_.assign(slots, MPI_REQUEST_NULL);
    for (std::size_t slot = 0; slot < slots; ++slot) post_receive(slot);
  }

  void run() {
    for (int ended = 0; ended < clients_;) {
      if (receiving_.empty()) give_back_oldest();
      const std::size_t slot = receiving_.front();
      receiving_.pop_front();
      MPI_Status status;
      MPI_Wait(&requests_[slot], &status);
      if (status.MPI_TAG == end_tag) {
        ++ended;
        post_receive(slot);
        continue;
      }
      MPI_Isend(buffers_[slot].data(), bytes_, MPI_BYTE, status.MPI_SOURCE, reply_tag, comm_, &requests_[slot]);
      replying_.push_back(slot);
      give_back_done();
    }
    while (!replying_.empty()) give_back_oldest();
    for (const std::size_t slot : receiving_) {
      MPI_Cancel(&requests_[slot]);
      MPI_Wait(&requests_[slot], MPI_STATUS_IGNORE);
    }
  }

 private:
  void post_receive(std::size_t slot) {
    MPI_Irecv(buffers_[slot].data(), bytes_, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &requests_[slot]);
    receiving_.push_back(slot);
  }
  void give_back_oldest() {
    const std::size_t slot = replying_.front();
    replying_.pop_front();
    MPI_Wait(&requests_[slot], MPI_STATUS_IGNORE);
    post_receive(slot);
  }
  void give_back_done() {
    for (int done = 1; done == 1 && !replying_.empty();) {
      MPI_Test(&requests_[replying_.front()], &done, MPI_STATUS_IGNORE);
      if (done == 1) give_back_oldest();
    }
  }

  MPI_Comm comm_;
  int clients_;
  int bytes_;
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<MPI_Request> requests_;     // a slot's receive, then its reply
  std::deque<std::size_t> receiving_, replying_;
};

class Client {
 public:
  Client(MPI_Comm comm, const EchoPoint& point, int server) : comm_(comm), server_(server), bytes_(static_cast<int>(point.bytes)) {
    const auto window = static_cast<std::size_t>(point.window);
    const std::vector<std::byte> empty(std::max<std::size_t>(point.bytes, 1));
    out_.assign(window, empty);
    in_.assign(window, empty);
    sends_.assign(window, MPI_REQUEST_NULL);
    receives_.assign(window, MPI_REQUEST_NULL);
    begun_.assign(window, 0);
  }

  // Replies of one server come in the order of the requests, so the oldest is the next.
  EchoResult run(const TickClock& clock, double seconds, Histogram& times) {
    const std::size_t window = out_.size(), warm_up = 4 * window + 16;
    EchoResult result;
    for (std::size_t slot = 0; slot < window; ++slot) ask(slot, clock.now());
    std::uint64_t begin = clock.now(), now = begin;
    double cpu_before = 0;
    std::size_t answered = 0;
    for (std::uint64_t deadline = begin + clock.ticks(seconds); now < deadline || answered <= warm_up + window; ++answered) {
      if (answered == warm_up) {
        begin = now;
        deadline = begin + clock.ticks(seconds);
        cpu_before = cpu_seconds_of_process();
      }
      const std::size_t slot = answered % window;
      finish(slot);
      now = clock.now();
      if (answered >= warm_up) times.add(clock.ns(now - begun_[slot]));
      ask(slot, now);
    }
    result = {static_cast<double>(answered - warm_up), clock.ns(now - begin) / 1e9, cpu_seconds_of_process() - cpu_before, 0};
    for (std::size_t i = 0; i < window; ++i) finish((answered + i) % window);
    MPI_Send(nullptr, 0, MPI_BYTE, server_, end_tag, comm_);
    return result;
  }

 private:
  void ask(std::size_t slot, std::uint64_t now) {
    begun_[slot] = now;
    std::memcpy(out_[slot].data(), &now, std::min(out_[slot].size(), sizeof now));
    MPI_Irecv(in_[slot].data(), bytes_, MPI_BYTE, server_, reply_tag, comm_, &receives_[slot]);
    MPI_Isend(out_[slot].data(), bytes_, MPI_BYTE, server_, request_tag, comm_, &sends_[slot]);
  }
  void finish(std::size_t slot) {
    MPI_Wait(&receives_[slot], MPI_STATUS_IGNORE);
    MPI_Wait(&sends_[slot], MPI_STATUS_IGNORE);
    const std::size_t marked = std::min(static_cast<std::size_t>(bytes_), sizeof(std::uint64_t));
    if (std::memcmp(in_[slot].data(), out_[slot].data(), marked) != 0) throw std::runtime_error("a reply that is not the echo of its request");
  }

  MPI_Comm comm_;
  int server_;
  int bytes_;
  std::vector<std::vector<std::byte>> out_, in_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<std::uint64_t> begun_;
};

// How many clients a poller of a server has.
int clients_of(const EchoPoint& point, int server, int poller) {
  int count = 0;
  for (int client = 0; client < point.clients; ++client)
    if (client % point.servers == server && client / point.servers % point.pollers == poller) ++count;
  return count;
}

void serve(const EchoGroup& group, const EchoPoint& point, int server) {
  std::deque<Poller> pollers;   // which never moves them: their buffers are being received into
  for (int poller = 0; poller < point.pollers; ++poller)
    pollers.emplace_back(group.of_poller[static_cast<std::size_t>(poller)], point, clients_of(point, server, poller));
  MPI_Barrier(group.all);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < pollers.size(); ++i) threads.emplace_back([&pollers, i] { pollers[i].run(); });
  pollers[0].run();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

EchoResult echo(const EchoGroup& group, const EchoPoint& point, const TickClock& clock, double seconds, Histogram& times) {
  int rank = 0;
  MPI_Comm_rank(group.all, &rank);
  EchoResult result;
  const std::int64_t wasted_before = weft_wasted_reads();
  if (rank < point.servers) {
    const double cpu_before = cpu_seconds_of_process();
    const std::uint64_t begin = clock.now();
    serve(group, point, rank);
    result = {0, clock.ns(clock.now() - begin) / 1e9, cpu_seconds_of_process() - cpu_before, 0};
  } else {
    const int number = rank - point.servers;
    Client client(group.of_poller[static_cast<std::size_t>(number / point.servers % point.pollers)], point, number % point.servers);
    MPI_Barrier(group.all);
    result = client.run(clock, seconds, times);
  }
  result.wasted_reads = static_cast<double>(weft_wasted_reads() - wasted_before);
  MPI_Barrier(group.all);
  return result;
}

}  // namespace weft::bench
