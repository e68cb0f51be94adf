// Copies, atomics, and where two ranks meet.
#include "fabric/shm/endpoint.hpp"

#include "fabric/shared_copy.hpp"
#include "os/log.hpp"

namespace weft::fabric::shm {

ShmEndpoint::ShmEndpoint(NodeMemory& memory, QueueReader& reader, int peer) noexcept
    : memory_(memory), reader_(reader), peer_(peer), page_(memory.page(peer)), ours_(memory.meeting(peer, memory.local_rank())),
      theirs_(memory.meeting(memory.local_rank(), peer)) {}

Done ShmEndpoint::open(const Opening& ours) {
  const Layout& layout = memory_.layout();
  if (Done done = memory_.reserve(layout.meeting_offset(peer_, memory_.local_rank()), sizeof(Meeting)); !done) return done;
  if (Done done = memory_.reserve(layout.meeting_offset(memory_.local_rank(), peer_), sizeof(Meeting)); !done) return done;
  ours_.opening = ours;
  ours_.opened.store(1, std::memory_order_release);
  return Nothing{};
}

bool ShmEndpoint::look() noexcept {
  if (state_ == State::opening) {
    if (theirs_.opened.load(std::memory_order_acquire) == 0) return false;
    peer_opening_ = theirs_.opening;
    state_ = State::open;
    return true;
  }
  const std::uint64_t immediates = theirs_.immediates.load(std::memory_order_acquire);
  if (immediates == immediates_) return false;
  immediates_ = immediates;
  return true;
}

bool ShmEndpoint::is_within(Remote at, std::size_t bytes) const noexcept {
  const std::size_t whole = memory_.layout().bytes();
  return at.address <= whole && bytes <= whole - at.address;
}

Outcome ShmEndpoint::post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation*) noexcept {
  if (!is_open()) return refusal();
  if (!is_within(to, bytes)) return Outcome::failed;
  copy_out(memory_.address(to.address), from.address, bytes);
  if (!is_noticed(notify)) return Outcome::done;
  if (notify == Notify::immediate) ours_.immediates.fetch_add(1, std::memory_order_release);
  ring_doorbell(page_);
  return Outcome::done;
}

Outcome ShmEndpoint::post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept {
  if (!is_open()) return refusal();
  if (!is_within(from, bytes)) return Outcome::failed;
  copy_in(to.address, memory_.address(from.address), bytes);
  operation = {};
  return Outcome::done;
}

Outcome ShmEndpoint::post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept {
  if (!is_open()) return refusal();
  if (!is_within(at, sizeof add) || at.address % sizeof add != 0) return Outcome::failed;
  operation.value = __atomic_fetch_add(word(at), add, __ATOMIC_SEQ_CST);
  operation.done = true;
  operation.status = Status::ok;
  ring_doorbell(page_);             // the owner may wait for a value
  return Outcome::done;
}

Outcome ShmEndpoint::post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept {
  if (!is_open()) return refusal();
  if (!is_within(at, sizeof expected) || at.address % sizeof expected != 0) return Outcome::failed;
  (void)__atomic_compare_exchange_n(word(at), &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  operation.value = expected;
  operation.done = true;
  operation.status = Status::ok;
  ring_doorbell(page_);
  return Outcome::done;
}

Outcome ShmEndpoint::post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept {
  if (!is_open()) return refusal();
  if (head_bytes + payload_bytes > queue_message_bytes) return Outcome::failed;
  if (!queue_there_) {
    if (Done done = reserve_queue(memory_, peer_); !done) {
      os::log_error("receive queue: {}", done.failure().note);
      state_ = State::lost;
      loss_ = "no memory for its receive queue";
      return Outcome::failed;
    }
    queue_there_ = true;
  }
  return enqueue(memory_, peer_, {static_cast<const std::byte*>(head), head_bytes}, {static_cast<const std::byte*>(payload), payload_bytes})
             ? Outcome::done
             : Outcome::again;
}

void ShmEndpoint::wake() noexcept { ring_doorbell(page_); }

}  // namespace weft::fabric::shm
