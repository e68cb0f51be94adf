// shm's endpoint: one-sided operations are copies and CPU atomics on the node's memory, done when the post returns; remote
// addresses are offsets in the node's file. Sends go through the receiver's one queue. The two sides meet in node memory.
// Threads: one at a time.
#pragma once

#include <cstdint>

#include "fabric/endpoint.hpp"
#include "fabric/shm/doorbell.hpp"
#include "fabric/shm/node_memory.hpp"
#include "fabric/shm/receive_queue.hpp"

namespace weft::fabric::shm {

class ShmEndpoint final : public Endpoint {
 public:
  ShmEndpoint(NodeMemory& memory, QueueReader& reader, int peer) noexcept;

  // Leaves our opening where the peer finds it.
  Done open(const Opening& ours);
  // Looks whether the peer has come, and at its notices. True when anything changed.
  bool look() noexcept;

  Outcome post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation* operation) noexcept override;
  Outcome post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept override;
  Outcome post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept override;
  Outcome post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept override;
  Outcome post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept override;
  Message poll_message() noexcept override { return reader_.next(peer_); }
  std::size_t post_stream(const iovec*, int) noexcept override { return 0; }
  std::size_t poll_stream(void*, std::size_t) noexcept override { return 0; }
  void wake() noexcept override;

 private:
  bool is_open() noexcept { return state_ == State::open || (state_ == State::opening && look()); }
  Outcome refusal() const noexcept { return state_ == State::lost ? Outcome::failed : Outcome::again; }
  bool is_within(Remote at, std::size_t bytes) const noexcept;
  std::uint64_t* word(Remote at) const noexcept { return reinterpret_cast<std::uint64_t*>(memory_.address(at.address)); }

  NodeMemory& memory_;
  QueueReader& reader_;
  int peer_;                      // local rank
  RankPage& page_;                // the peer's
  Meeting& ours_;                 // the peer reads it
  Meeting& theirs_;
  bool queue_there_ = false;
};

}  // namespace weft::fabric::shm
