// Setting up all queue pairs of a job; see connections.hpp.
#include "bench/verbs/connections.hpp"

#include <mpi.h>

#include <algorithm>

namespace weft::bench::verbs {

Layout::Layout(std::size_t largest_bytes, int peer_count) : peers(peer_count) {
  constexpr std::size_t page_bytes = 4096, room_bytes = 64;   // room for a datagram's header
  slot_bytes = (largest_bytes + 2 * room_bytes + page_bytes - 1) / page_bytes * page_bytes;
}

Connections::Connections(const Job& job, const Device& device, const Region& region, const Layout& layout, Transport transport, int send_depth)
    : region_(region), layout_(layout), receives_(make_completion_queue(device, layout.peers * receive_depth)), completions_(32) {
  std::vector<Address> mine(static_cast<std::size_t>(job.size)), theirs(mine.size());
  for (int peer = 0; peer < layout.peers; ++peer) {
    pairs_.push_back(std::make_unique<QueuePair>(device, region, transport, Shape{send_depth, receive_depth}, receives_.get(), static_cast<std::uint64_t>(peer)));
    mine[static_cast<std::size_t>(job.rank == 0 ? peer + 1 : 0)] = pairs_.back()->address();
  }
  constexpr int bytes = static_cast<int>(sizeof(Address));
  MPI_Alltoall(mine.data(), bytes, MPI_BYTE, theirs.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
  for (int peer = 0; peer < layout.peers; ++peer) {
    pair(peer).connect(theirs[static_cast<std::size_t>(job.rank == 0 ? peer + 1 : 0)]);
    post_receives(peer, receive_depth);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

std::vector<ibv_wc>& Connections::receive(int& count) {
  count = poll(receives_.get(), completions_);
  return completions_;
}

void Connections::post_receives(int peer, int count) {
  pair(peer).post_receives(region_.address() + layout_.incoming(peer), layout_.receive_bytes(), count);
}

void Connections::settle() {
  for (int count = 1; count > 0;) {
    auto& received = receive(count);
    for (int i = 0; i < count; ++i) post_receives(static_cast<int>(received[static_cast<std::size_t>(i)].wr_id), 1);
  }
}

}  // namespace weft::bench::verbs
