// What push and pull over an endpoint share: a ring whose slots and credit line travel as bytes that may land or be read in
// any order. Seen only whole: a pushed slot by the word that proves it (push_endpoint.hpp), a pulled slot and the credit line
// by a seal over their words, which no mixture of old and new bytes has. Sequences grow, are never cleared, never reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "channel/copy.hpp"
#include "channel/link.hpp"
#include "channel/opening.hpp"
#include "fabric/port.hpp"
#include "fabric/shared_copy.hpp"
#include "os/require.hpp"

namespace weft::channel {

// One line, one message, or the head of one with a payload in the ring.
struct alignas(fabric::line_bytes) RemoteSlot {
  Header header;
  std::byte payload[fabric::slot_inline_bytes];
  std::uint64_t proof;                 // pushed: the sequence; pulled: the seal, which contains it
};
static_assert(sizeof(RemoteSlot) == fabric::line_bytes);

inline std::uint64_t seal(std::uint64_t sequence, const void* words, std::size_t count) noexcept {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  std::uint64_t sum = (sequence + 1) * factor;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word;
    std::memcpy(&word, static_cast<const std::byte*>(words) + i * sizeof word, sizeof word);
    sum = (sum ^ word) * factor;
    sum ^= sum >> 32;
  }
  return sum | 1;                      // never what stands in fresh memory
}
inline std::uint64_t seal(std::uint64_t sequence, const RemoteSlot& slot) noexcept {
  return seal(sequence, &slot, offsetof(RemoteSlot, proof) / sizeof(std::uint64_t));
}

// What a receiver gives back; the first line of the sender's region, written by the receiver.
struct Credit {
  std::uint64_t slots;                 // slots given back
  std::uint64_t payload;               // payload positions given back, skips included
  std::uint64_t held;                  // ReceiveLink::release
  std::uint64_t bell;                  // pull: whenever it changes, the receiver wants to be woken for the next message
};
struct alignas(fabric::line_bytes) CreditLine {
  Credit credit;
  std::uint64_t proof;

  void seal_it() noexcept { proof = seal(0, &credit, sizeof credit / sizeof(std::uint64_t)); }
};

// A sender's view of its own region: the credit line, and a ring behind it. `shape` is the receiver's; `own` may have fewer slots.
class SenderRing {
 public:
  SenderRing(fabric::Region region, fabric::RingShape own, fabric::RingShape shape) noexcept
      : ring_(region.address, own), region_(region), shape_(shape), slots_end_(shape.slots) {}

  LinkEnd end() const noexcept { return {region_.remote, shape_}; }
  RemoteSlot& slot(std::uint64_t position) const noexcept { return reinterpret_cast<RemoteSlot&>(ring_.slot(position)); }
  const fabric::Ring& ring() const noexcept { return ring_; }
  const fabric::Region& region() const noexcept { return region_; }
  std::size_t offset(const void* address) const noexcept { return static_cast<std::size_t>(static_cast<const std::byte*>(address) - region_.address); }

  // Is there credit for one more slot, and a payload that ends at `payload_end`? Looks at the line only if it seems not.
  bool has_credit(std::uint64_t position, std::uint64_t payload_end) const noexcept {
    if (is_within(position, payload_end)) [[likely]] return true;
    look();
    return is_within(position, payload_end);
  }
  std::uint64_t held() const noexcept {
    look();
    return credit_.held;
  }
  // Unverified: any change is a wish to be woken, and a wake too many does no harm.
  std::uint64_t bell() const noexcept { return __atomic_load_n(&line().credit.bell, __ATOMIC_ACQUIRE); }

 private:
  CreditLine& line() const noexcept { return *reinterpret_cast<CreditLine*>(region_.address); }
  bool is_within(std::uint64_t position, std::uint64_t payload_end) const noexcept {
    return position < slots_end_ && payload_end - credit_.payload <= ring_.payload_bytes();
  }
  void look() const noexcept {
    CreditLine seen;
    fabric::copy_in(reinterpret_cast<std::byte*>(&seen), region_.address, sizeof seen);
    const std::uint64_t proof = seen.proof;
    seen.seal_it();
    if (seen.proof != proof) return;   // half there, or nothing yet
    credit_ = seen.credit;
    slots_end_ = credit_.slots + shape_.slots;
  }

  fabric::Ring ring_;
  fabric::Region region_;
  fabric::RingShape shape_;
  mutable Credit credit_{};            // as last seen whole
  mutable std::uint64_t slots_end_;    // how far the position may go
};

constexpr std::uint64_t longest_payload(std::uint64_t ring_bytes) noexcept { return ring_bytes / 2; }

// The sender may be waiting for room for the longest payload, and only more credit would give it; for slots a quarter of the
// ring is always soon enough. Both positions of the receiver: where it is, and what the sender knows.
inline bool payload_is_short(const fabric::Ring& ring, std::uint64_t position, std::uint64_t returned) noexcept {
  return position != returned && position - returned + ring.most_taken(position, longest_payload(ring.payload_bytes())) > ring.payload_bytes();
}

// Where they lie in a region with a credit line and a ring of this shape.
inline std::uint64_t slot_in_ring(fabric::RingShape shape, std::uint64_t position) noexcept {
  return sizeof(CreditLine) + (position & (shape.slots - 1)) * sizeof(RemoteSlot);
}
inline std::uint64_t payload_in_ring(fabric::RingShape shape, std::uint64_t place) noexcept {
  return sizeof(CreditLine) + shape.slots * sizeof(RemoteSlot) + (place & (shape.payload - 1));
}

// A receiver's side of the credit line: an image of it in memory that the port can move, and the write under way.
class CreditReturn {
 public:
  explicit CreditReturn(fabric::Local image) noexcept : image_(image) {}

  Credit credit{};                     // what the sender should know; set `due` after a change
  bool due = false;

  // Tells it if the endpoint takes it; until then it stays due.
  void tell(fabric::Endpoint& endpoint, fabric::Remote line) noexcept {
    if (!write_.done) return;          // the image is on its way
    auto& image = *reinterpret_cast<CreditLine*>(image_.address);
    image.credit = credit;
    image.seal_it();
    write_.done = false;
    const Outcome outcome = endpoint.post_write(image_, line, sizeof(CreditLine), fabric::Notify::wake, &write_);
    if (outcome != Outcome::posted) write_.done = true;
    if (outcome == Outcome::again) return;
    due = false;
  }

 private:
  fabric::Local image_;
  fabric::Operation write_;
};

// A link's hold on its endpoint: whether the other end is known yet.
class Binding {
 public:
  void attach(fabric::Endpoint& endpoint, int way) noexcept {
    endpoint_ = &endpoint;
    way_ = way;
  }
  fabric::Endpoint& endpoint() const noexcept { return *endpoint_; }
  const LinkEnd& peer() const noexcept { return peer_; }
  bool is_lost() const noexcept { return endpoint_->state() == fabric::Endpoint::State::lost; }
  // What a post answers that can't go out.
  Outcome refusal() const noexcept { return is_lost() ? Outcome::failed : Outcome::again; }

  // True once the endpoint is open. `shape`: what the other end's must be, for both sides compute places from it.
  bool is_open(fabric::RingShape shape) noexcept {
    if (endpoint_->state() != fabric::Endpoint::State::open) [[unlikely]] return false;
    if (known_) [[likely]] return true;
    peer_ = peer_end(*endpoint_, way_);
    WEFT_REQUIRE(peer_.shape.slots == shape.slots && peer_.shape.payload == shape.payload);
    return known_ = true;
  }

 private:
  fabric::Endpoint* endpoint_ = nullptr;
  int way_ = 0;
  bool known_ = false;
  LinkEnd peer_{};
};

}  // namespace weft::channel
