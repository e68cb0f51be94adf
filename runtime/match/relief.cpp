// Relief. Unexpected memory has a limit for each sender, past which its messages are only announced and a blocking send of
// it waits. If the receiver waits for exactly that sender, for a message that can only come after those, neither would
// ever go on. So a receive that names its source, and for which nothing has moved for a while, takes over what that
// sender holds back and lends it as much room again. The limit therefore holds strictly only for receives that wait for
// other ranks or for any: a source that merely is slow looks the same from here, and is lent room too.
#include <cstring>

#include "match/engine.hpp"
#include "os/log.hpp"

namespace weft::match {

// Turns an announced message into an unexpected one whose payload is here. False where memory can't be read.
bool Engine::take_over(Unexpected& message) {
  Peer& peer = *message.peer;
  const Announcement announcement = message.announcement;
  const bool readable = announcement.address != 0 && peer.channel.bulk != nullptr && peer.channel.bulk->can_read() && peer.channel.bulk->is_prompt();
  if (announcement.bytes != 0 && !readable) return false;
  const auto length = static_cast<std::uint32_t>(announcement.bytes);
  std::byte* payload = blocks_.take(length);
  const iovec whole{payload, length};
  if (length != 0 && peer.channel.bulk->read(announcement.address, &whole, 1) != Status::ok) {
    blocks_.give(payload, length);
    return false;
  }
  --choked_;
  message.kind = Kind::eager;
  message.payload = payload;
  message.length = length;
  unexpected_bytes_ += cost(length);
  post_control(peer, Kind::finished, Key{announcement.sender, 0, static_cast<std::int32_t>(Status::ok)}, nullptr, 0);
  return true;
}

void Engine::relieve(const Receive& blocked) {
  if (blocked.matched || blocked.key.source < 0) return;
  Peer* relieved = nullptr;
  for (MatchTable::Entry* entry = unexpected_.front(Key{blocked.key.context, blocked.key.source, any_tag}); entry != nullptr; entry = entry->next) {
    auto& message = *static_cast<Unexpected*>(entry->item);
    if (is_choked(message) && take_over(message)) relieved = message.peer;
  }
  if (relieved == nullptr) return;
  relieved->lent += unexpected_limit_;
  relieved->in->release(relieved->held_sum + relieved->lent);
  os::log_info("rank {} is lent {} bytes of room for messages that nobody has asked for; {} bytes are held now", relieved->world_rank,
               unexpected_limit_, unexpected_bytes_);
}

}  // namespace weft::match
