// Lanes: the sockets of an endpoint. Lane 0 carries frames and is what the endpoint opens with; lane 1 is the byte stream,
// connected when it is first written to; lanes 2 and up carry parts of large reads besides lane 0, where the option asks for
// them. A lane's object lives as long as its endpoint; its socket may go earlier. Used by TcpEndpoint and TcpPort.
// Threads: one at a time.
#pragma once

#include "fabric/tcp/frame.hpp"
#include "os/fd.hpp"
#include "os/pool.hpp"
#include "os/socket.hpp"

namespace weft::fabric::tcp {

class TcpEndpoint;

// What an event of the port's epoll points at.
struct Watched {
  enum class Kind : std::uint8_t { listener, bell, timer, handshake, frames, stream };
  Kind kind;
  explicit Watched(Kind of) noexcept : kind(of) {}
};

struct Lane : Watched {
  static constexpr std::uint32_t frames_number = 0, stream_number = 1, first_extra = 2, most = 16;

  Lane(Kind of, os::Fd connected, TcpEndpoint& owner) noexcept : Watched(of), socket(std::move(connected)), endpoint(owner) {}
  os::Fd socket;
  TcpEndpoint& endpoint;
  std::uint32_t warmth = 0;          // turns for which it is looked at directly; 0: only when epoll says so
  bool blocked = false;              // its socket took less than we had: in the port's list of those
  bool armed = false;                // epoll tells when it takes more
  int ended = 0;                     // errno of what ended it, ESHUTDOWN for the other side's end; told to the endpoint once
  std::int64_t unanswered_since_ns = 0;   // when a look first found something sent that the other host has not taken
};

struct StreamLane final : Lane {
  using Lane::Lane;
  bool readable = false;             // epoll said so
  bool dry = false;                  // the last look took all there was: the next one need not ask the kernel
};

// Messages that have come and not been polled yet, one behind the other; or one that could not leave at once.
struct MessageBlock {
  static constexpr std::size_t largest_message = 16384 + 64;
  static constexpr std::size_t room = largest_message + 64;
  std::size_t used;                  // bytes, a message's length before each
  std::size_t taken;
  MessageBlock* next;
  MessageBlock* next_free;
  alignas(64) std::byte data[room];
};

// A frame on its way out.
struct Outgoing {
  static constexpr std::size_t inline_bytes = 256;
  Frame frame;
  const std::byte* body;             // here, in the poster's memory, or in `owned`
  std::uint64_t left_head, left_body;
  Operation* operation;              // marked when the body has left
  MessageBlock* owned;               // holds the body, given back then
  Outgoing* next;
  Outgoing* next_free;
  std::byte copy[inline_bytes];
};

class FrameLane final : public Lane {
 public:
  FrameLane(os::Fd connected, TcpEndpoint& owner) noexcept : Lane(Kind::frames, std::move(connected), owner) {}

  // Endpoint's answers. The body is sent from where it lies; what of it has not left when the call returns is copied where it
  // is short, else must stay until `operation` is marked (or for good, where there is none).
  Outcome post(const Frame& frame, const void* body, Operation* operation) noexcept;
  // The same, never `again`: for answers that the peer may ask for, and only so many.
  void answer(const Frame& frame, const void* body) noexcept;
  // The same for a body that must not stay: `again` unless it can leave now or is short.
  Outcome post_copied(const Frame& frame, const iovec* pieces, int count) noexcept;

  bool flush() noexcept;             // what is queued; true when anything left
  bool receive() noexcept;           // what has come, bounded; true when anything did
  void drop_queue() noexcept;        // marks its operations lost
  bool has_queue() const noexcept { return head_ != nullptr; }

 private:
  static constexpr int most_queued = 32;
  static constexpr int most_answers = 1024;
  static constexpr std::size_t direct_bytes = 4096;    // bodies from here on come straight to their place

  Outgoing* append(const Frame& frame, const std::byte* body, std::uint64_t gone, Operation* operation) noexcept;
  void pop(Status status) noexcept;
  void consume(const std::byte* from, std::size_t bytes) noexcept;
  void open_frame() noexcept;
  void body_came(std::uint64_t bytes) noexcept;

  Outgoing* head_ = nullptr;
  Outgoing* tail_ = nullptr;
  int queued_ = 0;
  Frame in_{};                       // the frame that is coming
  std::size_t in_head_bytes_ = 0;    // of its head, so far
  std::byte* in_place_ = nullptr;    // for the rest of its body
  std::uint64_t in_left_ = 0;
};

}  // namespace weft::fabric::tcp
