// A link: one directed path of messages to or from a peer. Four types (push, pull, message, stream), one file each, compiled
// per fabric. Messages of a link arrive whole, once, in the order they were posted. A link never blocks and never
// allocates after it is open. Threads: one at a time.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

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

class SendLink {
 public:
  virtual ~SendLink() = default;
  // Copies content.length() bytes from payload. `again`: no credit now, nothing happened.
  virtual Outcome post(Envelope envelope, Content content, const void* payload) noexcept = 0;
  virtual std::size_t max_payload_bytes() const noexcept = 0;
  // What the receiver says has left its unexpected memory, in the units of ReceiveLink::release.
  virtual std::uint64_t released() const noexcept = 0;
};

class ReceiveLink {
 public:
  virtual ~ReceiveLink() = default;
  // The next message if there is one; the one before is given back to the sender's credit.
  virtual Arrival poll() noexcept = 0;
  // Tells the sender how much unexpected memory has been freed since the link opened (a running sum).
  virtual void release(std::uint64_t sum) noexcept = 0;
};

// Large payloads of a pair, where the fabric can read the peer's memory in one go.
class Bulk {
 public:
  virtual ~Bulk() = default;
  virtual bool can_read() noexcept = 0;
  // Fills the runs of `local` from consecutive bytes at the peer's address.
  virtual Status read(std::uint64_t remote_address, const iovec* local, int runs) noexcept = 0;
};

}  // namespace weft::channel
