// The two kinds of transfer, and what travels between their ends.
//
//   eager       the payload goes with the head; done for the sender once posted
//   rendezvous  the head announces (announce); the receiver, once matched, either reads the payload from the sender's
//               memory and says `finished` (get), or asks for it (request): the sender then writes it into the memory
//               that the request names and says `placed` (put), or sends it in fragments, in order, and both are done
//   cancel      the sender of an announced message asks for it back (withdraw); the receiver answers (withdrawn)
//
// Transfers are pooled; the peer names them by address, which it got from us and only sends back.
#pragma once

#include <cstdint>

#include "data/pack.hpp"
#include "fabric/endpoint.hpp"
#include "match/request.hpp"
#include "match/table.hpp"

namespace weft::channel {
class Bulk;
}

namespace weft::match {

struct Peer;
struct Unexpected;
class Engine;

enum class Kind : std::uint32_t { eager, announce, request, fragment, placed, finished, withdraw, withdrawn };
enum class SendMode : std::uint8_t { standard, synchronous, ready };

// count elements of type at address. The type is kept alive by the transfer, the memory by the program.
struct TypedBuffer {
  void* address;
  std::int64_t count;
  const data::Datatype* type;

  std::size_t bytes() const noexcept { return static_cast<std::size_t>(type->size * count); }
  // The one run of bytes this is, or null when it has gaps.
  void* run() const noexcept { return data::single_run(type, address, count); }
};

// Payload of `announce`. `address` is 0 when the payload is not one run of memory.
struct Announcement {
  std::uint64_t bytes;
  std::uint64_t address;
  std::uint64_t sender;
  std::uint32_t held_back;             // 1: only for lack of room in unexpected memory
  std::uint32_t key;                   // of the address, where the fabric needs one
};
// Payload of `request`.
struct PayloadRequest {
  std::uint64_t receiver;
  std::uint64_t wanted_bytes;
  std::uint64_t address;               // where the sender may write it; 0: fragments
  std::uint32_t key;                   // of the address
};
static_assert(sizeof(Announcement) <= fabric::slot_inline_bytes && sizeof(PayloadRequest) <= fabric::slot_inline_bytes);

class Send final : public Request {
 public:
  enum class State : std::uint8_t { idle, queued, announced, fragments, placing };

  Engine* engine = nullptr;
  Peer* peer = nullptr;
  TypedBuffer buffer{};
  Key key{};                           // context, our rank, tag
  SendMode mode = SendMode::standard;
  State state = State::idle;
  std::uint64_t receiver = 0;          // who the fragments are for
  std::size_t sent_bytes = 0;
  std::size_t wanted_bytes = 0;
  fabric::Region exposed{};            // the payload, while the peer may read it
  Send* next = nullptr;                // in the peer's outbox
  Send* next_free = nullptr;

  Status start() override;
  void cancel() override;
  void detach() override;
  void release() override;
  void complete(Status outcome) {
    if (exposed.address != nullptr) [[unlikely]] conceal();
    finish(outcome);
  }
  void conceal();
};

class Receive final : public Request {
 public:
  Engine* engine = nullptr;
  TypedBuffer buffer{nullptr, 0, data::predefined_by_number[data::number::byte]};   // one that is not in use is of bytes
  Key key{};
  std::uint64_t sequence = 0;          // order of posting, over all keys
  MatchTable::Entry entry{};
  std::size_t got_bytes = 0;           // fragments so far
  std::size_t wanted_bytes = 0;
  fabric::Region exposed{};            // the buffer, while the peer may write it; of this channel:
  channel::Bulk* bulk = nullptr;
  Unexpected* fetched = nullptr;       // ours: the message whose payload it brings here (relief.cpp)
  Receive* next_free = nullptr;

  Status start() override;
  void cancel() override;
  void release() override;
  void complete(Status outcome) { finish(outcome); }
  // The same for what came by rendezvous, or did not come.
  void complete_rendezvous(Status outcome);
};

// A persistent transfer with MPI_PROC_NULL.
class NullTransfer final : public Request {
 public:
  Status start() override {
    active = done = true;
    return Status::ok;
  }
  void release() override { delete this; }
};

// A message that came before its receive. Eager ones hold their payload in memory of their own.
struct Unexpected {
  static constexpr std::uint32_t magic_value = 0x57664d67;
  std::uint32_t magic;                 // set while a matched probe holds it
  MatchTable::Entry entries[4];        // under (source, tag), (source, any), (any, tag), (any, any)
  Peer* peer;
  Kind kind;
  Key key;
  std::uint32_t length;                // of payload
  std::byte* payload;
  bool took_room;                      // of its sender's, which is given back when it leaves
  Announcement announcement;
  bool fetching;                       // announced, and its payload is on its way into `payload`
  Status status;                       // announced, and how that went wrong
  Receive* claimant;                   // the receive that waits for this
  Unexpected* next_free;

  std::size_t message_bytes() const noexcept { return kind == Kind::eager ? length : announcement.bytes; }
};

}  // namespace weft::match
