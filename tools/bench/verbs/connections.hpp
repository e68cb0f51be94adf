// The queue pairs of a job for one transport: rank 0 is everyone's server and has one to each other rank, its client. The
// addresses go round by MPI, so that any fabric of MPI's may carry them. Receives of SEND are always posted to the full
// depth, with the full size. Making one is collective over MPI_COMM_WORLD; afterwards no MPI is used. Main thread.
#pragma once

#include <memory>
#include <vector>

#include "bench/job.hpp"
#include "bench/verbs/queue_pair.hpp"

namespace weft::bench::verbs {

// Where things lie in a rank's region: a line for counters, then an incoming and an outgoing slot for each peer.
struct Layout {
  std::size_t slot_bytes = 0;
  int peers = 1;

  Layout(std::size_t largest_bytes, int peer_count);
  std::size_t incoming(int peer) const { return counters_bytes + static_cast<std::size_t>(peer) * slot_bytes; }
  std::size_t outgoing(int peer) const { return incoming(peers + peer); }
  std::size_t total_bytes() const { return incoming(2 * peers); }
  std::uint32_t receive_bytes() const { return static_cast<std::uint32_t>(slot_bytes - 64); }
  static constexpr std::size_t counters_bytes = 4096;
};

class Connections {
 public:
  static constexpr int receive_depth = 512;

  Connections(const Job& job, const Device& device, const Region& region, const Layout& layout, Transport transport, int send_depth);

  int peers() const { return static_cast<int>(pairs_.size()); }
  QueuePair& pair(int peer) { return *pairs_[static_cast<std::size_t>(peer)]; }
  // Received since the last call, by peer in wr_id; valid until the next call. The receives are owed back by post_receives.
  std::vector<ibv_wc>& receive(int& count);
  void post_receives(int peer, int count);
  // Takes everything that an earlier measurement left behind.
  void settle();

 private:
  const Region& region_;
  const Layout& layout_;
  CompletionQueue receives_;
  std::vector<std::unique_ptr<QueuePair>> pairs_;
  std::vector<ibv_wc> completions_;
};

}  // namespace weft::bench::verbs
