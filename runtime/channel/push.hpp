// push: the sender writes into a ring in the receiver's memory, the receiver polls its own memory.
//
//   sender:   position < credit + slots ? compose the slot, place the payload, publish(sequence = position + 1)
//             otherwise look at the credit line once more; still full: `again`
//   receiver: slot(position).sequence == position + 1 ? hand it up; at the next poll, give it back (credit every quarter ring)
//
// Target is the fabric's own type (fabric/*/port.hpp): where the ring lies and how a slot is published, so that posting
// costs the one indirect call to SendLink and nothing below it. Invariants: each side's position only grows; a slot is
// written by the sender between credit and publication only; payload is written before its slot is published.
#pragma once

#include "channel/copy.hpp"
#include "channel/link.hpp"

namespace weft::channel {

template <class Target>
class PushSender final : public SendLink {
 public:
  PushSender() noexcept : slots_end_(0) {}   // leads nowhere: never has credit
  explicit PushSender(Target target) noexcept : target_(target), slots_end_(target.ring.slot_count()) {}

  Outcome post(Envelope envelope, Content content, const void* payload) noexcept override {
    if (position_ >= slots_end_) [[unlikely]] return retry(envelope, content, payload);
    fabric::Slot& slot = target_.ring.slot(position_);
    if (content.length() > fabric::slot_inline_bytes) [[unlikely]] return post_long(envelope, content, payload);
    copy_few(slot.payload, payload, content.length());
    return publish(slot, envelope, content);
  }

  // The same for a payload that fits a slot, for callers that know the link's own type: no call at all.
  bool has_credit() const noexcept { return position_ < slots_end_; }
  [[gnu::always_inline]] void post_inline(Envelope envelope, Content content, const void* payload) noexcept {
    const std::uint64_t position = position_;
    fabric::Slot& slot = target_.ring.slot(position);
    position_ = position + 1;
    copy_few(slot.payload, payload, content.length());
    fill(slot, envelope, content);
    target_.publish(slot, position + 1);
  }

  // Half the ring: one message always fits behind a skip to the start, which is shorter than the message.
  std::size_t max_payload_bytes() const noexcept override { return target_.ring.payload_bytes() / 2; }
  std::uint64_t released() const noexcept override { return target_.ring.credit().held.load(std::memory_order_relaxed); }

 private:
  Outcome publish(fabric::Slot& slot, Envelope envelope, Content content) noexcept {
    fill(slot, envelope, content);
    target_.publish(slot, ++position_);
    return Outcome::done;
  }
  static void fill(fabric::Slot& slot, Envelope envelope, Content content) noexcept {
    slot.header.envelope = envelope;
    slot.header.content = content;
  }

  [[gnu::noinline]] Outcome post_long(Envelope envelope, Content content, const void* payload) noexcept {
    const std::uint64_t place = target_.ring.place(payload_position_, content.length());
    const std::uint64_t after = fabric::Ring::after(place, content.length());
    if (after - credit_payload_ > target_.ring.payload_bytes() && !find_room(after)) return Outcome::again;
    std::memcpy(target_.ring.payload(place), payload, content.length());
    payload_position_ = after;
    return publish(target_.ring.slot(position_), envelope, content);
  }

  [[gnu::noinline]] Outcome retry(Envelope envelope, Content content, const void* payload) noexcept {
    slots_end_ = target_.ring.credit().slots.load(std::memory_order_acquire) + target_.ring.slot_count();
    return has_credit() ? post(envelope, content, payload) : Outcome::again;
  }
  bool find_room(std::uint64_t after) noexcept {
    credit_payload_ = target_.ring.credit().payload.load(std::memory_order_acquire);
    return after - credit_payload_ <= target_.ring.payload_bytes();
  }

  Target target_;
  std::uint64_t position_ = 0;           // slots published
  std::uint64_t slots_end_;              // how far position_ may go, as last seen
  std::uint64_t payload_position_ = 0;   // payload bytes placed, skips included
  std::uint64_t credit_payload_ = 0;     // payload given back, as last seen
};

// Source is the fabric's own type again: the ring, and how a sender that waits for credit is told that there is some.
template <class Source>
class PushReceiver final : public ReceiveLink {
 public:
  explicit PushReceiver(Source source) noexcept : source_(source), ring_(source.ring), give_back_at_(ring_.slot_count() / 4), quarter_payload_(ring_.payload_bytes() / 4) {}

  Arrival poll() noexcept override {
    const fabric::Slot& slot = ring_.slot(position_);
    if (slot.sequence.load(std::memory_order_acquire) != position_ + 1) {
      if (position_ != slots_returned_) [[unlikely]] give_back();   // idle: give back what is consumed, all of it
      return {nullptr, nullptr};
    }
    if (position_ >= give_back_at_ || payload_position_ - payload_returned_ >= quarter_payload_) [[unlikely]] give_back();
    ++position_;
    const std::uint32_t length = slot.header.content.length();
    if (length <= fabric::slot_inline_bytes) [[likely]] return {&slot.header, slot.payload};
    const std::uint64_t place = ring_.place(payload_position_, length);
    payload_position_ = fabric::Ring::after(place, length);
    return {&slot.header, ring_.payload(place)};
  }

  // The next message if it is exactly this one and lies in its slot, for callers that know the link's own type; null
  // otherwise, and nothing happened. As with poll(), the slot is given back at the next look.
  [[gnu::always_inline]] const fabric::Slot* poll_inline(Envelope envelope, std::uint32_t kind) noexcept {
    const std::uint64_t position = position_;
    const fabric::Slot& slot = ring_.slot(position);
    if (slot.sequence.load(std::memory_order_acquire) != position + 1 || !(slot.header.envelope == envelope) ||
        !slot.header.content.is(kind, fabric::slot_inline_bytes) || position >= give_back_at_) [[unlikely]] return nullptr;
    position_ = position + 1;
    return &slot;
  }

  // Hands up the messages that lie in their slots, one by one, as long as `take` accepts them and no credit is due; answers
  // how many those were. `take` must not look at this link.
  template <class Take>
  [[gnu::always_inline]] std::uint64_t take_inline(Take&& take) noexcept {
    const std::uint64_t begin = position_;
    const std::uint64_t end = give_back_at_;
    std::uint64_t position = begin;
    while (position < end) {
      const fabric::Slot& slot = ring_.slot(position);
      if (slot.sequence.load(std::memory_order_acquire) != position + 1 || !take(slot)) break;
      ++position;
    }
    position_ = position;
    return position - begin;
  }

  void release(std::uint64_t sum) noexcept override { ring_.credit().held.store(sum, std::memory_order_relaxed); }

 private:
  [[gnu::noinline]] void give_back() noexcept {
    slots_returned_ = position_;
    give_back_at_ = position_ + ring_.slot_count() / 4;
    payload_returned_ = payload_position_;
    ring_.credit().slots.store(slots_returned_, std::memory_order_release);
    ring_.credit().payload.store(payload_returned_, std::memory_order_release);
    source_.tell_credit();
  }

  Source source_;
  fabric::Ring ring_;
  std::uint64_t position_ = 0;           // slots taken, the last of them perhaps still being read
  std::uint64_t give_back_at_;
  std::uint64_t quarter_payload_;
  std::uint64_t payload_position_ = 0;
  std::uint64_t slots_returned_ = 0;
  std::uint64_t payload_returned_ = 0;
};

}  // namespace weft::channel
