// weft-bench primitives: what an RDMA device itself can do, on raw verbs and without the runtime. Rank 0 is the server whose
// memory is reached, the other ranks are its clients. This file: what the parts share; see primitives.cpp. Main thread.
#pragma once

#include <mpi.h>

#include "bench/experiment.hpp"
#include "bench/tick_clock.hpp"
#include "bench/verbs/connections.hpp"

namespace weft::bench {

// One point of the sweep.
struct Primitive {
  verbs::Operation operation = verbs::Operation::write;
  verbs::Transport transport = verbs::Transport::rc;
  std::uint32_t bytes = 8;
  int signal_every = 64;
  bool in_line = true;
  int clients = 1;
};

// What a rank needs to take part.
struct PrimitiveBench {
  const Job& job;
  const TickClock& clock;
  const verbs::Device& device;
  const verbs::Region& region;
  const verbs::Layout& layout;
  int batch;             // pieces of work behind one doorbell
  double seconds;        // of each latency, and of a throughput in its parts
  bool shares_core;      // then an empty poll gives the core away at once
  MPI_Comm active;       // the server and the clients that take part

  bool is_server() const { return job.rank == 0; }
  std::byte* at(std::size_t offset) const { return region.data() + offset; }
  verbs::Work work(const Primitive& point, const verbs::QueuePair& pair, int peer) const;
};

// An empty poll: counts itself, gives the core away where it is shared.
class EmptyPolls {
 public:
  explicit EmptyPolls(bool shares_core) : shares_core_(shares_core) {}
  void wait_a_bit();

 private:
  bool shares_core_;
  unsigned count_ = 0;
};

struct StreamResult {
  double operations = 0;   // finished; of SEND, and on the server's side: received
  double seconds = 0;
  double cpu_seconds = 0;

  double cores() const { return seconds > 0 ? cpu_seconds / seconds : 0; }
};

// Both are collective over the ranks that take part; the others must not call them. Latency: a client's single operations,
// one way for SEND and WRITE (half a ping-pong), to the completion for the others.
StreamResult stream(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point);
std::uint64_t time_single_operations(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point,
                                     Histogram& times);   // how many had to be sent again

}  // namespace weft::bench
