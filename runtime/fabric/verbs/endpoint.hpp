// An endpoint over a connected queue pair (RC, UC). See fabric/endpoint.hpp for the contract. A write that is to be noticed is
// one work request, a WRITE with an immediate, where the device has those; else a WRITE and an empty SEND behind it.
// Threads: one at a time.
#pragma once

#include "fabric/caps.hpp"
#include "fabric/verbs/queue_pair.hpp"
#include "fabric/verbs/send_queue.hpp"
#include "fabric/verbs/side_channel.hpp"

namespace weft::fabric::verbs {

// What the connected endpoints of a port share.
struct Connected {
  Handle<ibv_srq, ibv_destroy_srq> shared_receives;
  ReceiveQueue receives;
  BufferPool bounces;                  // sends that are too long to go inline are copied here
  BufferPool results;                  // of atomics
  Granted granted{};
  std::uint32_t operations = 0;

  Done open(Common& common);
};

class ConnectedEndpoint final : public Endpoint, public Greeted, SendQueue::Owner {
 public:
  ConnectedEndpoint(Common& common, Connected& connected, int world_rank) noexcept : common_(common), connected_(connected), world_rank_(world_rank) {}
  ~ConnectedEndpoint() { common_.completions.release(reserved_); }

  // Makes the queue pair; begin() is what follows once somebody else made it (the connection manager), and reserve() comes before.
  Done create();
  Done reserve(std::uint32_t completions);
  void begin(ibv_qp* queue, const Granted& granted);
  // To ourselves: the queue pair is its own peer.
  Done connect_to_self(const Opening& ours);
  void open_with(const Opening& theirs) noexcept;
  void open_at_first_message(const Opening& theirs) noexcept {
    peer_opening_ = theirs;
    opens_at_first_message_ = true;
  }
  void fail(const char* what, const char* why) noexcept override;
  // The peer has ended the connection: normal at the end of a job, a loss for whoever waits for something or posts again.
  void close() noexcept;

  int world_rank() const noexcept { return world_rank_; }
  bool has_queue() const noexcept { return queue_ != nullptr; }
  std::uint32_t number() const noexcept { return queue_->qp_num; }
  void arrive(const ibv_wc& completion) noexcept;

  // Greeted
  void set_peer(const Card& card) noexcept { peer_ = card; }
  void heard(const Greeting& theirs) noexcept override;
  void ready() noexcept override;
  bool is_lost() const noexcept override { return state_ == State::lost; }

  Outcome post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation* operation) noexcept override;
  Outcome post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept override;
  Outcome post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept override;
  Outcome post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept override;
  Outcome post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept override;
  Message poll_message() noexcept override { return connected_.receives.pop(inbox_); }
  std::size_t post_stream(const iovec*, int) noexcept override { return 0; }
  std::size_t poll_stream(void*, std::size_t) noexcept override { return 0; }
  void wake() noexcept override;

 private:
  Outcome full() noexcept;
  Outcome refusal() const noexcept { return state_ == State::opening ? Outcome::again : Outcome::failed; }
  bool has(std::uint32_t operations) const noexcept { return (connected_.operations & operations) == operations; }
  Outcome post_atomic(Remote at, ibv_send_wr& request, AtomicOperation& operation) noexcept;
  Outcome post_long(ibv_send_wr& pattern, Local local, Remote remote, std::size_t bytes, bool wake_behind, Operation* operation) noexcept;

  Common& common_;
  Connected& connected_;
  int world_rank_;
  Card peer_{};
  QueuePair pair_;                     // empty where the connection manager made it
  ibv_qp* queue_ = nullptr;
  Granted granted_{};
  SendQueue sends_;
  Inbox inbox_{};
  std::uint32_t reserved_ = 0;         // completions
  bool opens_at_first_message_ = false;
  bool is_closed_ = false;
  char words_[96] = "";
};

}  // namespace weft::fabric::verbs
