// Small exchanges among the members of a communicator, for the set-up of communicators and windows: a few bytes over
// match's ordinary messages, in a context of their own, numbered so that several may be in flight on one communicator.
// Under the runtime lock. Blocking forms wait without deadline: they end when all members come or the peer is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "match/request.hpp"
#include "os/status.hpp"

namespace weft::comm {

// Who takes part in one exchange, and under which number. Plain data; copied into what runs.
struct Circle {
  const int* peers = nullptr;          // world rank by rank in the communicator
  std::vector<int> ranks;              // the members' ranks in the communicator; empty: all, in order
  int size = 0;
  int me = 0;                          // my place in the circle
  std::uint64_t context = 0;
  int tag = 0;

  int rank_at(int place) const { return ranks.empty() ? place : ranks[static_cast<std::size_t>(place)]; }
  int world_rank_at(int place) const { return peers[rank_at(place)]; }
};

// All members of a communicator; takes the next number, so every member must call it at the same point.
Circle circle_of(Communicator& communicator);

// Place 0 tells all others, along a binomial tree.
class Broadcast {
 public:
  void start(const Circle& circle, void* data, std::size_t bytes);   // the data must stay until poll() says true
  bool poll();                                                       // true: over; see status()
  Status status() const noexcept { return status_; }

 private:
  void send_on();
  Circle circle_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  match::Request* receive_ = nullptr;
  std::vector<match::Request*> sends_;
  Status status_ = Status::ok;
};

Status broadcast(const Circle& circle, void* data, std::size_t bytes);
// `all` has room for size blocks; mine is at its place in the circle already.
Status allgather(const Circle& circle, void* all, std::size_t block_bytes);

}  // namespace weft::comm
