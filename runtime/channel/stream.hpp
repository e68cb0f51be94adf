// stream: messages in a byte stream, as frames of head and payload, padded to words.
//
//   sender:   queue empty ? hand head and payload to the endpoint; what it does not take goes into the queue : append to the
//             queue if it fits, else `again`
//   receiver: reads what is there into a window; a frame that is whole is handed up in place
//   credit:   the stream's own back-pressure. The sum of ReceiveLink::release rides on every head, or goes alone.
//
// Both ways share a wire. Bounded memory: a queue of one longest frame, a window of two; untouched pages cost nothing.
#pragma once

#include <memory>

#include "channel/link.hpp"
#include "fabric/port.hpp"
#include "os/expected.hpp"

namespace weft::channel {

struct StreamHead {
  Header header;
  std::uint64_t held;
};

class StreamWire {
 public:
  static constexpr std::size_t max_payload_bytes = std::size_t{64} << 10;

  explicit StreamWire(fabric::Endpoint& endpoint);

  Outcome post(Envelope envelope, Content content, const void* payload) noexcept;
  bool flush() noexcept;               // as much of the queue as the endpoint takes; did any go?
  Arrival poll() noexcept;
  void release(std::uint64_t sum) noexcept;
  std::uint64_t released() const noexcept { return peer_held_; }
  void expect_messages() noexcept { expects_messages_ = true; }
  bool expects_messages() const noexcept { return expects_messages_; }

 private:
  static constexpr std::size_t frame_bytes = sizeof(StreamHead) + max_payload_bytes;

  bool read() noexcept;
  void append(const iovec* pieces, int count, std::size_t skip) noexcept;

  fabric::Endpoint& endpoint_;
  bool expects_messages_ = false;      // a receive link polls; otherwise only heads alone come
  bool held_due_ = false;
  std::uint64_t held_ = 0;
  std::uint64_t peer_held_ = 0;

  std::unique_ptr<std::byte[]> queue_; // bytes from queue_begin_ to queue_end_ wait
  std::size_t queue_begin_ = 0;
  std::size_t queue_end_ = 0;

  std::unique_ptr<std::byte[]> window_;   // bytes from window_begin_ to window_end_ are not handed up yet
  std::size_t window_begin_ = 0;
  std::size_t window_end_ = 0;
};

class StreamSender final : public SendLink {
 public:
  static Expected<std::unique_ptr<SendLink>> make(fabric::Port& port, fabric::RingShape shape);

  Outcome post(Envelope envelope, Content content, const void* payload) noexcept override { return wire_->post(envelope, content, payload); }
  std::size_t max_payload_bytes() const noexcept override { return StreamWire::max_payload_bytes; }
  std::uint64_t released() const noexcept override { return wire_->released(); }
  bool poll() noexcept override;
  void attach(fabric::Endpoint& endpoint, int way, Wires& wires) override;

 private:
  StreamWire* wire_ = nullptr;
};

class StreamReceiver final : public ReceiveLink {
 public:
  static Expected<std::unique_ptr<ReceiveLink>> make(fabric::Port& port, fabric::RingShape shape);

  Arrival poll() noexcept override { return wire_->poll(); }
  void release(std::uint64_t sum) noexcept override { wire_->release(sum); }
  void attach(fabric::Endpoint& endpoint, int way, Wires& wires) override;

 private:
  StreamWire* wire_ = nullptr;
};

}  // namespace weft::channel
