// Messages over UD, whole, once and in order, though datagrams may be lost, repeated or overtaken: each carries a sequence,
// the receiver takes the next one only and says how far it has come (with its own data, every few messages, or when
// it has nothing else to say), the sender keeps what is not acknowledged and sends it again, at once when the receiver tells
// of a gap, else after a while. A peer costs a few hundred bytes and no queue pair; buffers are the port's.
// A peer that does not acknowledge is not taken for lost, unless WEFT_VERBS_SILENCE says when: it may compute for an hour, and
// there is no device that answers for it. The launcher tells of the dead. Threads: one at a time.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "fabric/verbs/side_channel.hpp"

namespace weft::fabric::verbs {

class DatagramEndpoint final : public Endpoint, public Greeted {
 public:
  DatagramEndpoint(DatagramQueue& queue, int world_rank, const Route& route, std::vector<DatagramEndpoint*>& active) noexcept
      : queue_(queue), world_rank_(world_rank), route_(route), active_(active) {}

  void open_with(const Opening& theirs) noexcept;
  // Data or an acknowledgement; takes the buffer.
  void arrive(const DatagramHead& head, std::uint32_t buffer) noexcept;
  // What is owed now that some turns have passed: acknowledgements, repetitions. False: nothing more for now.
  bool tend(std::int64_t now_ns) noexcept;
  void leave_active() noexcept { is_active_ = false; }
  std::int64_t due_ns() const noexcept { return has_outstanding() ? due_ns_ : INT64_MAX; }

  void heard(const Greeting& theirs) noexcept override { peer_opening_ = theirs.opening; }
  void ready() noexcept override;
  bool is_lost() const noexcept override { return state_ == State::lost; }

  Outcome post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept override;
  Message poll_message() noexcept override { return queue_.receives().pop(inbox_); }
  void wake() noexcept override { acknowledge(0); }

  Outcome post_write(Local, Remote, std::size_t, Notify, Operation*) noexcept override { return Outcome::failed; }
  Outcome post_read(Local, Remote, std::size_t, Operation&) noexcept override { return Outcome::failed; }
  Outcome post_fetch_add(Remote, std::uint64_t, AtomicOperation&) noexcept override { return Outcome::failed; }
  Outcome post_compare_swap(Remote, std::uint64_t, std::uint64_t, AtomicOperation&) noexcept override { return Outcome::failed; }
  std::size_t post_stream(const iovec*, int) noexcept override { return 0; }
  std::size_t poll_stream(void*, std::size_t) noexcept override { return 0; }

 private:
  static constexpr std::uint32_t window = 16;          // datagrams that may wait for their acknowledgement, a power of two
  static constexpr std::uint32_t acknowledge_every = window / 2;

  bool has_outstanding() const noexcept { return next_ != first_; }
  std::uint32_t& kept(std::uint32_t sequence) noexcept { return kept_[sequence % window]; }
  void become_active();
  void take_acknowledgement(const DatagramHead& head) noexcept;
  void acknowledge(std::uint8_t flags) noexcept;
  void repeat(std::uint32_t count) noexcept;
  void lose(const char* why) noexcept;

  DatagramQueue& queue_;
  int world_rank_;
  Route route_;
  std::vector<DatagramEndpoint*>& active_;
  bool is_active_ = false;
  bool is_recovering_ = false;         // the oldest was sent again by itself; once it is through the others follow
  std::uint32_t next_ = 1;             // sequence of the next message
  std::uint32_t first_ = 1;            // of the oldest that is not acknowledged
  std::uint32_t expected_ = 1;         // of the next to come
  std::uint32_t told_ = 0;             // the last that we have acknowledged
  std::uint32_t gap_told_ = 0;         // what we expected when we last told of a gap
  std::uint32_t kept_[window] = {};    // buffers, by sequence
  std::int64_t due_ns_ = 0;            // when the oldest is sent again; 0: the clock has not been looked at since it was sent
  std::int64_t pause_ns_ = 0;
  std::int64_t heard_ns_ = 0;          // when the peer was heard from, or should have been; 0: the clock has not been looked at since
  Inbox inbox_{};
};

// The endpoints of a port whose transport is UD.
class DatagramEndpoints {
 public:
  explicit DatagramEndpoints(DatagramQueue& queue) noexcept : queue_(queue) {}

  DatagramEndpoint& add(int world_rank, const Route& route);
  void handle(const DatagramHead& head, std::uint32_t buffer) noexcept;   // takes the buffer
  bool is_busy() const noexcept { return !active_.empty(); }
  void tend(std::int64_t now_ns) noexcept;
  std::int64_t due_ns() const noexcept;

 private:
  DatagramQueue& queue_;
  std::unordered_map<int, std::unique_ptr<DatagramEndpoint>> endpoints_;
  std::vector<DatagramEndpoint*> active_;      // that wait for an acknowledgement or owe one
};

}  // namespace weft::fabric::verbs
