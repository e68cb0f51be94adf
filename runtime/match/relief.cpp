// Relief. Unexpected memory has a limit for each sender, past which its messages are only announced and a blocking send of
// it waits. If the receiver waits for exactly that sender, for a message that can only come after those, neither would
// ever go on. So a receive that names its source, and for which no message has come for a while, takes over what that
// sender holds back and lends it as much room again. The limit therefore holds strictly only for receives that wait for
// other ranks or for any: a source that merely is slow looks the same from here, and is lent room too.
#include "match/engine.hpp"
#include "os/log.hpp"

namespace weft::match {

// Turns an announced message into an unexpected one, by a receive of our own. A receive that matches it before its payload
// is here waits for it (claim).
void Engine::take_over(Unexpected& message) {
  const auto length = static_cast<std::uint32_t>(message.announcement.bytes);
  message.payload = blocks_.take(length);
  message.length = length;
  message.fetching = true;
  message.announcement.held_back = 0;  // whatever comes of it
  --choked_;
  unexpected_bytes_ += cost(length);
  Receive* fetch = prepare_receive(message.key.source, message.key.context, message.key.tag, {message.payload, length, bytes_type()});
  fetch->fetched = &message;
  fetch->detached = true;              // its end comes to fetched()
  begin_rendezvous(*fetch, *message.peer, message.key, message.announcement);
}

void Engine::fetched(Receive& fetch) {
  Unexpected& message = *fetch.fetched;
  fetch.fetched = nullptr;
  message.status = fetch.status;
  give(&fetch);
  message.fetching = false;
  if (message.status == Status::ok) {
    message.kind = Kind::eager;
    message.took_room = false;
  } else {
    blocks_.give(message.payload, message.length);
    unexpected_bytes_ -= cost(message.length);
  }
  if (message.claimant != nullptr) accept(*message.claimant, &message);
}

// For a message that was taken over, and whose payload is not here: not yet, or never.
void Engine::claim(Receive& receive, Unexpected& message) {
  receive.matched = true;
  receive.source = message.key.source;
  receive.tag = message.key.tag;
  receive.bytes = message.message_bytes();
  if (message.fetching) {
    message.claimant = &receive;
    return;
  }
  const Status status = message.status;
  drop(&message);
  receive.complete(status);
}

std::uint64_t Engine::heard() const noexcept {
  std::uint64_t sum = handled_;
  for (const Peer* peer : connected_) sum += peer->held_sum;      // the fast ways do not come to handle()
  return sum;
}

void Engine::relieve(const Receive& blocked) {
  if (blocked.matched || blocked.key.source < 0) return;
  Peer* relieved = nullptr;
  for (MatchTable::Entry* entry = unexpected_.front(Key{blocked.key.context, blocked.key.source, any_tag}); entry != nullptr; entry = entry->next) {
    auto& message = *static_cast<Unexpected*>(entry->item);
    if (!is_choked(message)) continue;
    take_over(message);
    relieved = message.peer;
  }
  if (relieved == nullptr) return;
  relieved->lent += unexpected_limit_;
  relieved->in->release(relieved->held_sum + relieved->lent);
  os::log_info("rank {} is lent {} bytes of room for messages that nobody has asked for; {} bytes are held now", relieved->world_rank,
               unexpected_limit_, unexpected_bytes_);
}

}  // namespace weft::match
