// Frames into and out of a byte stream.
#include "channel/stream.hpp"

#include <cstring>

#include "channel/wires.hpp"
#include "os/require.hpp"

namespace weft::channel {
namespace {

constexpr std::uint32_t credit_kind = UINT32_MAX;      // of a head that goes alone

std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) & ~std::size_t{7}; }

StreamWire& wire_of(Wires& wires, fabric::Endpoint& endpoint) {
  if (!wires.stream) wires.stream = std::make_unique<StreamWire>(endpoint);
  return *wires.stream;
}

}  // namespace

StreamWire::StreamWire(fabric::Endpoint& endpoint)
    : endpoint_(endpoint), queue_(std::make_unique_for_overwrite<std::byte[]>(frame_bytes)), window_(std::make_unique_for_overwrite<std::byte[]>(2 * frame_bytes)) {}

Outcome StreamWire::post(Envelope envelope, Content content, const void* payload) noexcept {
  if (endpoint_.state() != fabric::Endpoint::State::open) [[unlikely]]
    return endpoint_.state() == fabric::Endpoint::State::lost ? Outcome::failed : Outcome::again;
  if (queue_begin_ != queue_end_) (void)flush();
  static constexpr std::byte padding[8]{};
  StreamHead head{{envelope, content}, held_};
  const std::size_t length = content.length();
  const iovec pieces[] = {{&head, sizeof head}, {const_cast<void*>(payload), length}, {const_cast<std::byte*>(padding), padded(length) - length}};
  const std::size_t bytes = sizeof head + padded(length);
  std::size_t gone = 0;
  if (queue_begin_ == queue_end_) {
    gone = endpoint_.post_stream(pieces, 3);
    if (gone == 0) return Outcome::again;
  } else if (bytes > frame_bytes - (queue_end_ - queue_begin_)) {
    return Outcome::again;
  }
  append(pieces, 3, gone);
  held_due_ = false;
  return Outcome::done;
}

// What is left of the pieces after the first `skip` bytes.
void StreamWire::append(const iovec* pieces, int count, std::size_t skip) noexcept {
  if (queue_begin_ != 0) {
    std::memmove(queue_.get(), queue_.get() + queue_begin_, queue_end_ - queue_begin_);
    queue_end_ -= queue_begin_;
    queue_begin_ = 0;
  }
  for (int i = 0; i < count; ++i) {
    const std::size_t gone = skip < pieces[i].iov_len ? skip : pieces[i].iov_len;
    const std::size_t left = pieces[i].iov_len - gone;
    if (left != 0) std::memcpy(queue_.get() + queue_end_, static_cast<const std::byte*>(pieces[i].iov_base) + gone, left);
    queue_end_ += left;
    skip -= gone;
  }
}

bool StreamWire::flush() noexcept {
  if (queue_begin_ != queue_end_) {
    const iovec rest{queue_.get() + queue_begin_, queue_end_ - queue_begin_};
    const std::size_t gone = endpoint_.post_stream(&rest, 1);
    queue_begin_ += gone;
    return gone != 0;
  }
  if (!held_due_) [[likely]] return false;
  return post({0, 0, 0}, {0, credit_kind}, nullptr) == Outcome::done;
}

Arrival StreamWire::poll() noexcept {
  for (int reads = 0;;) {
    const std::size_t there = window_end_ - window_begin_;
    if (there >= sizeof(StreamHead)) {
      const auto& head = *reinterpret_cast<const StreamHead*>(window_.get() + window_begin_);
      const std::size_t length = head.header.content.length();
      WEFT_REQUIRE(length <= max_payload_bytes);
      if (there >= sizeof head + padded(length)) {
        window_begin_ += sizeof head + padded(length);
        peer_held_ = head.held;
        if (head.header.content.kind() == credit_kind) continue;
        WEFT_REQUIRE(expects_messages_);
        return {&head.header, reinterpret_cast<const std::byte*>(&head + 1)};
      }
    }
    if (reads++ == 2 || !read()) break;
  }
  (void)flush();
  return {nullptr, nullptr};
}

// Frames stay word-aligned: the window begins at one, and moves by whole words.
bool StreamWire::read() noexcept {
  const std::size_t there = window_end_ - window_begin_;
  if (window_begin_ != 0 && (there == 0 || window_begin_ >= frame_bytes)) {
    std::memmove(window_.get(), window_.get() + window_begin_, there);
    window_begin_ = 0;
    window_end_ = there;
  }
  const std::size_t bytes = endpoint_.poll_stream(window_.get() + window_end_, 2 * frame_bytes - window_end_);
  window_end_ += bytes;
  return bytes != 0;
}

void StreamWire::release(std::uint64_t sum) noexcept {
  held_ = sum;
  held_due_ = true;                    // told with the next frame, or alone at an idle poll
}

Expected<std::unique_ptr<SendLink>> StreamSender::make(fabric::Port&, fabric::RingShape) { return std::unique_ptr<SendLink>(new StreamSender); }
void StreamSender::attach(fabric::Endpoint& endpoint, int, Wires& wires) { wire_ = &wire_of(wires, endpoint); }

// Where the other way is no stream, nobody else takes the heads that come alone.
bool StreamSender::poll() noexcept {
  const bool moved = wire_->flush();
  if (!wire_->expects_messages()) (void)wire_->poll();
  return moved;
}

Expected<std::unique_ptr<ReceiveLink>> StreamReceiver::make(fabric::Port&, fabric::RingShape) { return std::unique_ptr<ReceiveLink>(new StreamReceiver); }
void StreamReceiver::attach(fabric::Endpoint& endpoint, int, Wires& wires) {
  wire_ = &wire_of(wires, endpoint);
  wire_->expect_messages();
}

}  // namespace weft::channel
