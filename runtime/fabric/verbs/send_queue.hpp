// The send queue of a queue pair: which requests are out, what each of them owes to whom, and which of them ask for a
// completion. One that somebody waits for, or that holds a buffer, does; of the others every n-th, so that the queue drains: a
// completion retires all before it that have not asked for one of their own. Those that have wait for it: iWARP completes a
// send behind a read before the read. Threads: one at a time. No heap after open().
#pragma once

#include <infiniband/verbs.h>

#include <vector>

#include "fabric/endpoint.hpp"
#include "fabric/verbs/buffers.hpp"

namespace weft::fabric::verbs {

class SendQueue;

struct SendEntry {
  SendQueue* queue = nullptr;
  Operation* operation = nullptr;      // to be marked
  BufferPool* pool = nullptr;          // that gets `buffer` back
  std::uint32_t buffer = no_buffer;
  bool is_due = false;                 // its own completion is still to come
  bool is_atomic = false;              // the operation is an AtomicOperation, its value is in the buffer
};

class SendQueue {
 public:
  // Told of the first completion that is an error.
  class Owner {
   public:
    virtual void fail(const char* what, const char* why) noexcept = 0;

   protected:
    ~Owner() = default;
  };

  void open(ibv_qp* queue, std::uint32_t depth, Owner& owner);

  bool has_room(std::uint32_t count) const noexcept { return head_ - tail_ + held_count_ + count <= depth_; }
  // Posts a chain of `count` requests with one ring of the doorbell; what is owed is paid when the last of them completes.
  // There is room. False: the queue pair is broken, and the owner has been told.
  bool post(ibv_send_wr* first, std::uint32_t count, const SendEntry& owed) noexcept;

  // Keeps a request of one piece, which owes nothing, for the next post to take along. False: no more can be kept, or there is
  // no room for it and what is to follow. What it reads must stay until then.
  bool hold(const ibv_send_wr& request) noexcept;

  bool is_awaited() const noexcept;      // somebody waits for one that is out
  // The connection is gone, and the device may not say so of each request: all are lost, and there is no room any more.
  void abandon() noexcept;

  // From the completion of an entry of any queue.
  static void complete(const ibv_wc& completion) noexcept;

 private:
  void retire(SendEntry& completed, ibv_wc_status status) noexcept;
  SendEntry& entry(std::uint64_t position) noexcept { return entries_[position & mask_]; }

  ibv_qp* queue_ = nullptr;
  Owner* owner_ = nullptr;
  std::uint32_t depth_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t head_ = 0;             // posted, ever
  std::uint64_t tail_ = 0;             // retired, ever
  std::uint64_t completed_ = 0;        // where the last that completed ends
  std::uint32_t silent_ = 0;           // posted since the last that asked
  std::uint32_t silent_limit_ = 1;
  std::vector<SendEntry> entries_;
  static constexpr std::uint32_t most_held = 2;
  std::uint32_t held_count_ = 0;
  ibv_send_wr held_[most_held];
  ibv_sge held_pieces_[most_held];
};

}  // namespace weft::fabric::verbs
