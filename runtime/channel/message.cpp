// Heads, payloads and credit on one wire.
#include "channel/message.hpp"

#include <algorithm>
#include <cstring>

#include "channel/wires.hpp"
#include "os/require.hpp"

namespace weft::channel {
namespace {

constexpr std::uint32_t credit_kind = UINT32_MAX;      // of a head that goes alone
constexpr std::uint32_t widest_window = 64;
constexpr int heads_a_poll = 4;

// Both sides come to the same: it depends on options that the ranks of a job share.
std::uint32_t window_of(fabric::RingShape shape) noexcept { return std::min(widest_window, shape.slots); }

MessageWire& wire_of(Wires& wires, fabric::Endpoint& endpoint, fabric::RingShape shape) {
  if (!wires.message) wires.message = std::make_unique<MessageWire>(endpoint, window_of(shape));
  return *wires.message;
}

bool went(Outcome outcome) noexcept { return outcome == Outcome::done || outcome == Outcome::posted; }

}  // namespace

Outcome MessageWire::post(Envelope envelope, Content content, const void* payload) noexcept {
  if (endpoint_.state() == fabric::Endpoint::State::lost) [[unlikely]] return Outcome::failed;
  if (sent_ - peer_taken_ >= window_) return Outcome::again;
  const MessageHead head{{envelope, content}, taken_, held_};
  const Outcome outcome = endpoint_.post_send(&head, sizeof head, payload, content.length());
  if (!went(outcome)) return outcome;
  ++sent_;
  taken_told_ = taken_;
  held_due_ = false;
  return Outcome::done;
}

Arrival MessageWire::poll() noexcept {
  for (int heads = 0; heads < heads_a_poll; ++heads) {
    const fabric::Message message = endpoint_.poll_message();
    if (message.data == nullptr) break;
    std::memcpy(&head_, message.data, sizeof head_);
    peer_taken_ = head_.taken;
    peer_held_ = head_.held;
    if (head_.header.content.kind() == credit_kind) continue;
    WEFT_REQUIRE(expects_messages_ && message.bytes == sizeof head_ + head_.header.content.length());
    ++taken_;
    return {&head_.header, message.data + sizeof head_};
  }
  if (held_due_ || taken_ - taken_told_ >= window_ / 4) [[unlikely]] tell_credit();
  return {nullptr, nullptr};
}

void MessageWire::tell_credit() noexcept {
  const MessageHead head{{{0, 0, 0}, {0, credit_kind}}, taken_, held_};
  if (!went(endpoint_.post_send(&head, sizeof head, nullptr, 0))) return;
  taken_told_ = taken_;
  held_due_ = false;
}

void MessageWire::release(std::uint64_t sum) noexcept {
  held_ = sum;
  held_due_ = true;                    // told with the next message, or alone at an idle poll
}

Expected<std::unique_ptr<SendLink>> MessageSender::make(fabric::Port& port, fabric::RingShape shape) {
  return std::unique_ptr<SendLink>(new MessageSender(port.max_message_bytes() - sizeof(MessageHead), shape));
}

void MessageSender::attach(fabric::Endpoint& endpoint, int, Wires& wires) { wire_ = &wire_of(wires, endpoint, shape_); }

// Where the other way is not of messages, nobody else takes the credit that comes.
bool MessageSender::poll() noexcept {
  if (!wire_->expects_messages()) (void)wire_->poll();
  return false;
}

Expected<std::unique_ptr<ReceiveLink>> MessageReceiver::make(fabric::Port&, fabric::RingShape shape) {
  return std::unique_ptr<ReceiveLink>(new MessageReceiver(shape));
}

void MessageReceiver::attach(fabric::Endpoint& endpoint, int, Wires& wires) {
  wire_ = &wire_of(wires, endpoint, shape_);
  wire_->expect_messages();
}

}  // namespace weft::channel
