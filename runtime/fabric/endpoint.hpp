// Endpoint: what can be done towards one peer over one port, the same over every fabric: write, read, atomics, send, stream.
// Links (channel/) and remote memory (remote/) are written against this class and Port only, so a fabric is known by what
// it can do (Caps) and by nothing else; chaos/ wraps any of them. The one exception is shm's direct push, which is
// compiled against ShmPort for the sake of nanoseconds.
// Threads: one at a time. An endpoint belongs to its port and dies with it.
// Ordering, and no more than that: writes and sends become visible in the order posted; a read or an atomic sees what was
// written before it; nothing is ordered against a read or atomic that has not completed. Inside one write, bytes land in
// any order unless the caps say otherwise. A completion says that the local memory may be reused, not that the peer has seen it.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "os/status.hpp"

namespace weft::fabric {

// A place in memory of ours that this port made known to its device (Port::allocate, Port::expose).
struct Local {
  std::byte* address;
  std::uint32_t key;
};

// A place in a peer's memory, as the peer named it to us.
struct Remote {
  std::uint64_t address;
  std::uint32_t key;
};

struct Region {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  std::uint32_t local_key = 0;
  Remote remote{};               // what peers call it

  Local local(std::size_t offset = 0) const noexcept { return {address + offset, local_key}; }
  Remote remote_at(std::size_t offset) const noexcept { return {remote.address + offset, remote.key}; }
};

// One posted operation, owned by whoever posts; must stay until done. Marked inside Port::poll, never by a post.
struct Operation {
  bool done = true;
  Status status = Status::ok;
};
struct AtomicOperation : Operation {
  std::uint64_t value = 0;       // what stood there before
};

// What the peer learns of a write.
enum class Notify : std::uint8_t {
  none,
  followed,      // none, and another post follows at once: both may go out with that one
  wake,          // ends its sleep
  immediate,     // that, and its Endpoint::immediates() grows by one once the bytes are visible (op_write_immediate)
};
constexpr bool is_noticed(Notify notify) noexcept { return notify >= Notify::wake; }

// A received message in place: valid until the next poll_message of the same endpoint.
struct Message {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
};

// What the links of one side tell the links of the other when an endpoint opens; the fabric carries it and does not look.
using Opening = std::array<std::byte, 128>;

class Endpoint {
 public:
  enum class State : std::uint8_t { opening, open, lost };

  virtual ~Endpoint() = default;

  State state() const noexcept { return state_; }                       // changes inside Port::poll and posts only
  const Opening& peer_opening() const noexcept { return peer_opening_; }   // once open
  std::uint64_t immediates() const noexcept { return immediates_; }     // writes with Notify::immediate that have arrived, ever
  const char* loss() const noexcept { return loss_; }                   // why it is lost, in words

  // All posts answer: done (the source may be reused now), posted (`operation` will be marked; null where the caller does
  // not need to know), again (nothing happened: full, or still opening), failed (lost, or outside the caps; nothing happened).
  // After `failed` state() tells which.
  virtual Outcome post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation* operation) noexcept = 0;
  virtual Outcome post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept = 0;
  virtual Outcome post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept = 0;
  virtual Outcome post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept = 0;

  // Two-sided: head and payload, copied, into a buffer the peer's port has posted; arrive in order, once, whole (over UD as
  // well). At most Port::max_message_bytes() in all.
  virtual Outcome post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept = 0;
  virtual Message poll_message() noexcept = 0;                          // data is null when there is none

  // Byte stream: how many bytes were taken, or come in (0: none now). `lost` shows in state().
  virtual std::size_t post_stream(const iovec* pieces, int count) noexcept = 0;
  virtual std::size_t poll_stream(void* into, std::size_t bytes) noexcept = 0;

  // Ends the peer's sleep, if it sleeps and the fabric can.
  virtual void wake() noexcept = 0;

 protected:
  State state_ = State::opening;
  Opening peer_opening_{};
  std::uint64_t immediates_ = 0;
  const char* loss_ = "";
};

}  // namespace weft::fabric
