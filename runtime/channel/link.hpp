// A link: one directed path of messages to or from a peer. Four types (push, pull, message, stream), one file each, compiled
// per fabric. Messages of a link arrive whole, once, in the order they were posted. A link never blocks and never
// allocates after it is open. Threads: one at a time.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "fabric/endpoint.hpp"
#include "fabric/ring.hpp"
#include "os/status.hpp"

namespace weft::channel {

using fabric::Content;
using fabric::Envelope;
using fabric::Header;

enum class LinkType : std::uint8_t { push, pull, message, stream };

// A message in place, or none (header is null). Valid until the next poll of the same link.
struct Arrival {
  const Header* header;
  const std::byte* payload;

  explicit operator bool() const noexcept { return header != nullptr; }
};

// What one end of a link tells the other end when an endpoint opens: where its memory lies, and of which shape.
struct LinkEnd {
  fabric::Remote memory{};
  fabric::RingShape shape{};
};

// What the two links of a pair share where both travel on one wire (wires.hpp).
struct Wires;

class SendLink {
 public:
  virtual ~SendLink() = default;
  // Copies content.length() bytes from payload. `again`: no credit now, or not open yet; nothing happened. `failed`: lost.
  virtual Outcome post(Envelope envelope, Content content, const void* payload) noexcept = 0;
  virtual std::size_t max_payload_bytes() const noexcept = 0;
  // What the receiver says has left its unexpected memory, in the units of ReceiveLink::release.
  virtual std::uint64_t released() const noexcept = 0;
  // Over an endpoint: what the other end must know, and the endpoint once there is one. It may still be opening: the link
  // looks at its state whenever it has nothing better to do, and takes the peer's end from opening.hpp.
  virtual LinkEnd end() const noexcept { return {}; }
  virtual void attach(fabric::Endpoint& endpoint, int way, Wires& wires) { (void)endpoint, (void)way, (void)wires; }
  // What a post has left to do (bytes in a queue, a wake-up owed). Over endpoints, once a progress turn.
  virtual bool poll() noexcept { return false; }
};

class ReceiveLink {
 public:
  virtual ~ReceiveLink() = default;
  // The next message if there is one; the one before is given back to the sender's credit.
  virtual Arrival poll() noexcept = 0;
  // Tells the sender how much unexpected memory has been freed since the link opened (a running sum).
  virtual void release(std::uint64_t sum) noexcept = 0;
  // Nobody rings when a message comes: a sleeper must look for itself from time to time.
  virtual bool is_silent() const noexcept { return false; }
  // The caller means to sleep after the next poll: that one must look, and whatever makes the sender ring must be said.
  virtual void expect_sleep() noexcept {}
  virtual std::uint64_t wasted_reads() const noexcept { return 0; }      // that found nothing, or a part (pull)
  virtual LinkEnd end() const noexcept { return {}; }
  virtual void attach(fabric::Endpoint& endpoint, int way, Wires& wires) { (void)endpoint, (void)way, (void)wires; }
};

// Large payloads of a pair, where the fabric can read or write the peer's memory.
class Bulk {
 public:
  virtual ~Bulk() = default;
  virtual bool can_read() noexcept = 0;
  // Fills the runs of `local` from consecutive bytes at the peer's address, now. Not prompt: unsupported, post instead.
  virtual Status read(std::uint64_t remote_address, const iovec* local, int runs) noexcept = 0;
  // The same in time, between exposed memory of both sides, at most max_piece_bytes() a call.
  virtual bool is_prompt() const noexcept { return true; }
  virtual std::size_t max_piece_bytes() const noexcept { return SIZE_MAX; }
  virtual Status expose(void* address, std::size_t bytes, fabric::Region& region) noexcept { (void)address, (void)bytes, (void)region; return Status::ok; }
  virtual void conceal(const fabric::Region& region) noexcept { (void)region; }
  virtual Outcome post_read(fabric::Local to, fabric::Remote from, std::size_t bytes, fabric::Operation& operation) noexcept {
    (void)to, (void)from, (void)bytes, (void)operation;
    return Outcome::failed;
  }
  virtual Outcome post_write(fabric::Local from, fabric::Remote to, std::size_t bytes, fabric::Operation& operation) noexcept {
    (void)from, (void)to, (void)bytes, (void)operation;
    return Outcome::failed;
  }
};

}  // namespace weft::channel
