// The memory of a push ring: what the sender writes and the receiver polls. One ring serves one direction of one pair.
// Heads go into 64-byte slots whose first word is a 64-bit sequence (position + 1) that nothing but a sequence is ever
// written to: it is never cleared and never reused, so stale bytes cannot look like a new message. Payloads beyond the
// slot's inline room go, 64-byte aligned and never wrapping, into a byte ring beside the slots; both sides derive a
// payload's place from its length and the same running position, so no offset travels.
// Writers: the sender writes slots and payload, the receiver writes RingCredit. Both are lines of their own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft::fabric {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t slot_inline_bytes = 32;

// The head of every message on every link, in parts that travel in registers. What the fields mean belongs to the floor
// above.
struct Envelope {
  std::uint64_t context;
  std::int32_t source;
  std::int32_t tag;
  bool operator==(const Envelope&) const = default;
  // Source and tag in one word: one comparison where both lie in memory.
  std::uint64_t place() const noexcept { return std::uint64_t{static_cast<std::uint32_t>(tag)} << 32 | static_cast<std::uint32_t>(source); }
};
class Content {
 public:
  Content() = default;
  constexpr Content(std::uint32_t length, std::uint32_t kind) noexcept : word_(std::uint64_t{kind} << 32 | length) {}
  std::uint32_t length() const noexcept { return static_cast<std::uint32_t>(word_); }   // of the payload with this head, in bytes
  std::uint32_t kind() const noexcept { return static_cast<std::uint32_t>(word_ >> 32); }
  // One comparison for both.
  bool is(std::uint32_t wanted_kind, std::uint32_t most_bytes) const noexcept { return word_ - (std::uint64_t{wanted_kind} << 32) <= most_bytes; }

 private:
  std::uint64_t word_;
};
struct Header {
  Envelope envelope;
  Content content;
};
static_assert(sizeof(Header) == 24);

struct alignas(line_bytes) Slot {
  std::atomic<std::uint64_t> sequence;
  Header header;
  std::byte payload[slot_inline_bytes];
};
static_assert(sizeof(Slot) == line_bytes);

// How far the receiver has come: monotonic counts, written lazily, read by the sender only when it believes the ring full.
struct alignas(line_bytes) RingCredit {
  std::atomic<std::uint64_t> slots;     // slots given back
  std::atomic<std::uint64_t> payload;   // payload positions given back, skips included
  std::atomic<std::uint64_t> held;      // bytes of eager messages that left unexpected memory again
};

struct RingShape {
  std::uint32_t slots;      // a power of two
  std::uint32_t payload;    // bytes, a power of two

  std::size_t bytes() const noexcept { return sizeof(RingCredit) + std::size_t{slots} * sizeof(Slot) + payload; }
};

// A view of ring memory wherever it lies.
class Ring {
 public:
  Ring() = default;
  Ring(std::byte* base, RingShape shape) noexcept
      : slots_(reinterpret_cast<Slot*>(base + sizeof(RingCredit))), slot_mask_(shape.slots - 1), payload_mask_(shape.payload - 1) {}

  RingCredit& credit() const noexcept { return reinterpret_cast<RingCredit*>(slots_)[-1]; }
  Slot& slot(std::uint64_t position) const noexcept { return slots_[position & slot_mask_]; }
  std::byte* payload(std::uint64_t position) const noexcept {
    return reinterpret_cast<std::byte*>(slots_ + slot_count()) + (position & payload_mask_);
  }
  std::uint64_t slot_count() const noexcept { return std::uint64_t{slot_mask_} + 1; }
  std::uint64_t payload_bytes() const noexcept { return std::uint64_t{payload_mask_} + 1; }

  // Where a payload of `bytes` begins when the running position is `position`: aligned, and at the start of the ring
  // when it would cross the end.
  std::uint64_t place(std::uint64_t position, std::uint64_t bytes) const noexcept {
    const std::uint64_t offset = position & payload_mask_;
    return offset + bytes <= payload_bytes() ? position : position + (payload_bytes() - offset);
  }
  // What one payload of up to `bytes` may take of the ring from `position` on, what is skipped at its end included.
  std::uint64_t most_taken(std::uint64_t position, std::uint64_t bytes) const noexcept {
    const std::uint64_t to_end = payload_bytes() - (position & payload_mask_);
    return to_end < bytes ? to_end + bytes : bytes;
  }
  static std::uint64_t after(std::uint64_t place, std::uint64_t bytes) noexcept {
    return (place + bytes + line_bytes - 1) & ~std::uint64_t{line_bytes - 1};
  }

 private:
  Slot* slots_ = nullptr;              // the credit line lies before them, the payload behind
  std::uint32_t slot_mask_ = 0;
  std::uint32_t payload_mask_ = 0;
};

}  // namespace weft::fabric
