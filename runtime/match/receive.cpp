// Receiving: posting, matching arrivals, and what comes before its receive.
#include "match/engine.hpp"

#include <cstring>

#include "channel/copy.hpp"
#include "os/clock.hpp"

namespace weft::match {
namespace {

constexpr int direct_polls = 256;      // looks at the one link a blocking receive waits for, before the general loop

}  // namespace

std::int64_t Engine::take_next(Peer& peer, Key key, void* room, std::size_t room_bytes) {
  for (int look = 0; look < direct_polls; ++look) {
    const channel::Arrival arrival = peer.in->poll();
    if (!arrival) {
      os::pause();                     // a line that is asked for without pause is taken from the sender while it writes: twice the time
      continue;
    }
    const channel::Header& header = *arrival.header;
    if (!(header.envelope == key) || header.content.kind() != static_cast<std::uint32_t>(Kind::eager)) [[unlikely]] {
      handle(peer, arrival);
      stir();
      return -1;
    }
    const std::size_t bytes = header.content.length();
    channel::copy_bytes(room, arrival.payload, bytes <= room_bytes ? bytes : room_bytes);
    released(peer, bytes);
    return static_cast<std::int64_t>(bytes);
  }
  return -1;
}

Receive* Engine::prepare_receive(int source, std::uint64_t context, int tag, const TypedBuffer& buffer) {
  Receive* receive = receives_.take();
  static_cast<Life&>(*receive) = fresh_receive;
  receive->active = true;
  receive->detached = receive->cancelled = receive->matched = false;
  receive->owner = nullptr;
  receive->engine = this;
  receive->key = Key{context, source, tag};
  receive->bytes = 0;
  receive->limit_bytes = buffer.bytes();
  if (buffer.type->contiguous) {
    receive->buffer.address = buffer.address;
    receive->buffer.count = static_cast<std::int64_t>(receive->limit_bytes);
  } else {
    receive->buffer = buffer;
    data::retain(buffer.type);
  }
  return receive;
}

Request* Engine::post_receive(int source, std::uint64_t context, int tag, const TypedBuffer& buffer) {
  Receive* receive = prepare_receive(source, context, tag, buffer);
  match_or_post(*receive);
  return receive;
}

// Takes the oldest message that fits and came before, or stands in line.
void Engine::match_or_post(Receive& receive) {
  const Key& key = receive.key;
  if (Unexpected* message = first_unexpected(key.source, key.context, key.tag); message != nullptr) [[unlikely]] {
    unlink(*message);
    accept(receive, message);
    return;
  }
  receive.sequence = ++sequence_;
  posted_.push(key, receive.entry, &receive);
  count_posted(key, 1);
}

Status Engine::start(Receive& receive) {
  receive.done = receive.cancelled = receive.matched = false;
  receive.active = true;
  receive.status = Status::ok;
  receive.bytes = 0;
  match_or_post(receive);
  return Status::ok;
}

void Engine::count_posted(const Key& key, int change) noexcept {
  const auto delta = static_cast<std::uint32_t>(change);
  posted_count_ += delta;
  if ((key.source | key.tag) >= 0) [[likely]] return;
  posted_wild_ += delta;
  if (key.source >= 0) posted_any_tag_ += delta;
  else if (key.tag >= 0) posted_any_source_ += delta;
  else posted_any_both_ += delta;
}

// The oldest posted receive that fits, taken out.
inline Receive* Engine::match_posted(const Key& key) {
  if (posted_count_ == 0) return nullptr;
  if (posted_wild_ != 0) [[unlikely]] return match_posted_wild(key);
  MatchTable::Entry* entry = posted_.front(key);
  if (entry == nullptr) return nullptr;
  posted_.remove(*entry);
  --posted_count_;
  return static_cast<Receive*>(entry->item);
}

Receive* Engine::match_posted_wild(const Key& key) {
  Receive* best = nullptr;
  const auto consider = [&](std::int32_t source, std::int32_t tag) {
    const MatchTable::Entry* entry = posted_.front(Key{key.context, source, tag});
    if (entry == nullptr) return;
    auto* candidate = static_cast<Receive*>(entry->item);
    if (best == nullptr || candidate->sequence < best->sequence) best = candidate;
  };
  consider(key.source, key.tag);
  if (posted_any_source_ != 0) consider(any_source, key.tag);
  if (posted_any_tag_ != 0) consider(key.source, any_tag);
  if (posted_any_both_ != 0) consider(any_source, any_tag);
  if (best != nullptr) {
    posted_.remove(best->entry);
    count_posted(best->key, -1);
  }
  return best;
}

// The common messages: of a few bytes each, to receives of bytes that stand under the key last posted. Takes them as long
// as they come in a run; answers how many there were.
inline int Engine::take_posted(Peer& peer) {
  MatchTable::Queue& line = posted_.recent();
  const std::uint64_t context = line.key.context;
  const std::uint64_t place = line.key.place();
  MatchTable::Entry* first = line.head;
  std::uint64_t payload_bytes = 0;
  const std::uint64_t taken = peer.direct_in->take_inline([&](const fabric::Slot& slot) {
    const channel::Header& header = slot.header;
    if (first == nullptr || header.envelope.context != context || header.envelope.place() != place ||
        !header.content.is(static_cast<std::uint32_t>(Kind::eager), fabric::slot_inline_bytes)) return false;
    auto& receive = *static_cast<Receive*>(first->item);
    const std::size_t bytes = header.content.length();
    if (receive.buffer.type != bytes_type() || bytes > receive.limit_bytes || receive.detached) [[unlikely]] return false;
    first = first->next;
    channel::copy_few(receive.buffer.address, slot.payload, bytes);
    receive.source = static_cast<std::int32_t>(place);
    receive.tag = static_cast<std::int32_t>(place >> 32);
    receive.bytes = bytes;
    receive.status = Status::ok;
    receive.done = true;
    payload_bytes += bytes;
    return true;
  });
  if (taken == 0) return 0;
  line.head = first;
  posted_count_ -= static_cast<std::uint32_t>(taken);
  released(peer, payload_bytes + (taken - 1) * overhead);
  return static_cast<int>(taken);
}

bool Engine::poll_direct(Peer& peer) {
  for (int count = 0; count < arrivals_a_turn;) {
    if (posted_wild_ == 0) count += take_posted(peer);
    const channel::Arrival arrival = peer.direct_in->poll();
    if (!arrival) return count != 0;
    handle(peer, arrival);
    ++count;
  }
  return true;
}

void Engine::handle_message(Peer& peer, const channel::Arrival& arrival) {
  const channel::Header& header = *arrival.header;
  const Key key = header.envelope;
  Receive* receive = match_posted(key);
  if (receive == nullptr) return keep(peer, arrival);
  if (header.content.kind() == static_cast<std::uint32_t>(Kind::eager)) {
    released(peer, header.content.length());
    return deliver(*receive, key, arrival.payload, header.content.length());
  }
  Announcement announcement;
  std::memcpy(&announcement, arrival.payload, sizeof announcement);
  begin_rendezvous(*receive, peer, key, announcement);
}

// An eager payload, into the receive's buffer. Never past its end.
void Engine::deliver(Receive& receive, const Key& key, const void* payload, std::size_t bytes) {
  receive.source = key.source;
  receive.tag = key.tag;
  receive.bytes = bytes;
  const std::size_t room = receive.limit_bytes;
  const std::size_t taken = bytes <= room ? bytes : room;
  if (void* run = receive.buffer.run(); run != nullptr) channel::copy_bytes(run, payload, taken);
  else data::unpack(receive.buffer.type, receive.buffer.address, receive.buffer.count, 0, payload, static_cast<std::int64_t>(taken));
  receive.complete(bytes <= room ? Status::ok : Status::truncated);
}

void Engine::tell_released(Peer& peer) noexcept {
  peer.held_tell = peer.held_sum + unexpected_limit_ / 8;
  peer.in->release(peer.held_sum + peer.lent);
}

// ---- messages that came first

void Engine::keep(Peer& peer, const channel::Arrival& arrival) {
  const channel::Header& header = *arrival.header;
  Unexpected* message = unexpected_pool_.take();
  message->magic = 0;
  message->peer = &peer;
  message->kind = static_cast<Kind>(header.content.kind());
  message->key = header.envelope;
  message->length = header.content.length();
  message->took_room = true;
  if (message->kind == Kind::eager) {
    message->payload = blocks_.take(header.content.length());
    channel::copy_bytes(message->payload, arrival.payload, header.content.length());
    unexpected_bytes_ += cost(header.content.length());
  } else {
    std::memcpy(&message->announcement, arrival.payload, sizeof message->announcement);
    message->fetching = false;
    message->status = Status::ok;
    message->claimant = nullptr;
  }
  const Key& key = message->key;
  unexpected_.push(key, message->entries[0], message);
  unexpected_.push(Key{key.context, key.source, any_tag}, message->entries[1], message);
  unexpected_.push(Key{key.context, any_source, key.tag}, message->entries[2], message);
  unexpected_.push(Key{key.context, any_source, any_tag}, message->entries[3], message);
  ++unexpected_count_;
  choked_ += is_choked(*message);
}

Unexpected* Engine::first_unexpected(int source, std::uint64_t context, int tag) {
  if (unexpected_count_ == 0) return nullptr;
  const MatchTable::Entry* entry = unexpected_.front(Key{context, source, tag});
  return entry != nullptr ? static_cast<Unexpected*>(entry->item) : nullptr;
}

void Engine::unlink(Unexpected& message) noexcept {
  for (MatchTable::Entry& entry : message.entries) unexpected_.remove(entry);
  --unexpected_count_;
  choked_ -= is_choked(message);
}

void Engine::drop(Unexpected* message) noexcept {
  if (message->kind == Kind::eager) {
    blocks_.give(message->payload, message->length);
    unexpected_bytes_ -= cost(message->length);
    if (message->took_room) [[likely]] released(*message->peer, message->length);
  }
  message->magic = 0;
  unexpected_pool_.give(message);
}

void Engine::accept(Receive& receive, Unexpected* message) {
  if (message->kind == Kind::eager) deliver(receive, message->key, message->payload, message->length);
  else if (message->fetching || message->status != Status::ok) return claim(receive, *message);
  else begin_rendezvous(receive, *message->peer, message->key, message->announcement);
  drop(message);
}

const Unexpected* Engine::find(int source, std::uint64_t context, int tag) { return first_unexpected(source, context, tag); }

Unexpected* Engine::take(int source, std::uint64_t context, int tag) {
  Unexpected* message = first_unexpected(source, context, tag);
  if (message == nullptr) return nullptr;
  unlink(*message);
  message->magic = Unexpected::magic_value;
  return message;
}

Request* Engine::receive_taken(Unexpected* message, const TypedBuffer& buffer) {
  Receive* receive = prepare_receive(message->key.source, message->key.context, message->key.tag, buffer);
  accept(*receive, message);
  return receive;
}

void Engine::handle_withdraw(Peer& peer, const channel::Arrival& arrival) {
  std::uint64_t sender = 0;
  std::memcpy(&sender, arrival.payload, sizeof sender);
  for (MatchTable::Entry* entry = unexpected_.front(arrival.header->envelope); entry != nullptr; entry = entry->next) {
    auto* message = static_cast<Unexpected*>(entry->item);
    if (message->kind != Kind::announce || message->fetching || message->peer != &peer || message->announcement.sender != sender) continue;
    unlink(*message);
    drop(message);
    return post_control(peer, Kind::withdrawn, Key{sender, 0, 0}, nullptr, 0);
  }
  // matched already: the transfer goes on and tells the sender by itself
}

void Engine::withdraw(Receive& receive) {
  if (receive.done || receive.matched) return;
  posted_.remove(receive.entry);
  count_posted(receive.key, -1);
  receive.cancelled = true;
  receive.complete(Status::ok);
  stir();
}

void Engine::forget_type(Receive& receive) noexcept {
  data::release(receive.buffer.type);
  receive.buffer.type = bytes_type();
}

Status Receive::start() { return engine->start(*this); }
void Receive::cancel() { engine->withdraw(*this); }
void Receive::release() {
  if (fetched != nullptr) [[unlikely]] engine->fetched(*this);
  else engine->give(this);
}

}  // namespace weft::match
