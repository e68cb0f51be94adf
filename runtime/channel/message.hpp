// message: two-sided sends into receives that the peer's port posted before.
//
//   sender:   sent - taken by the peer < window ? SEND head and payload : `again`
//   receiver: a message has come ? hand it up in place; the buffer goes back at the next poll
//   credit:   each head carries how many messages its sender has taken, and the sum of ReceiveLink::release; where nothing
//             goes that way, a head goes alone every quarter window
//
// Both ways share a wire: one endpoint, one receive queue. A head that goes alone needs no credit: there are few of them.
#pragma once

#include <memory>

#include "channel/link.hpp"
#include "fabric/port.hpp"
#include "os/expected.hpp"

namespace weft::channel {

struct MessageHead {
  Header header;
  std::uint64_t taken;
  std::uint64_t held;
};

class MessageWire {
 public:
  MessageWire(fabric::Endpoint& endpoint, std::uint32_t window) noexcept : endpoint_(endpoint), window_(window) {}

  Outcome post(Envelope envelope, Content content, const void* payload) noexcept;
  Arrival poll() noexcept;
  void release(std::uint64_t sum) noexcept;
  std::uint64_t released() const noexcept { return peer_held_; }
  void expect_messages() noexcept { expects_messages_ = true; }
  bool expects_messages() const noexcept { return expects_messages_; }

 private:
  void tell_credit() noexcept;

  fabric::Endpoint& endpoint_;
  std::uint32_t window_;
  bool expects_messages_ = false;      // a receive link polls; otherwise only credit comes
  bool held_due_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t peer_taken_ = 0;
  std::uint64_t peer_held_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t taken_told_ = 0;
  std::uint64_t held_ = 0;
  MessageHead head_{};                 // of the message in place
};

class MessageSender final : public SendLink {
 public:
  static Expected<std::unique_ptr<SendLink>> make(fabric::Port& port, fabric::RingShape shape);
  MessageSender(std::size_t max_payload_bytes, fabric::RingShape shape) noexcept : max_payload_bytes_(max_payload_bytes), shape_(shape) {}

  Outcome post(Envelope envelope, Content content, const void* payload) noexcept override { return wire_->post(envelope, content, payload); }
  std::size_t max_payload_bytes() const noexcept override { return max_payload_bytes_; }
  std::uint64_t released() const noexcept override { return wire_->released(); }
  bool poll() noexcept override;
  void attach(fabric::Endpoint& endpoint, int way, Wires& wires) override;

 private:
  std::size_t max_payload_bytes_;
  fabric::RingShape shape_;
  MessageWire* wire_ = nullptr;
};

class MessageReceiver final : public ReceiveLink {
 public:
  static Expected<std::unique_ptr<ReceiveLink>> make(fabric::Port& port, fabric::RingShape shape);
  explicit MessageReceiver(fabric::RingShape shape) noexcept : shape_(shape) {}

  Arrival poll() noexcept override { return wire_->poll(); }
  void release(std::uint64_t sum) noexcept override { wire_->release(sum); }
  void attach(fabric::Endpoint& endpoint, int way, Wires& wires) override;

 private:
  fabric::RingShape shape_;
  MessageWire* wire_ = nullptr;
};

}  // namespace weft::channel
