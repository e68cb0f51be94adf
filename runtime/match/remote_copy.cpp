// Rendezvous over an endpoint by get (the receiver reads from the sender's exposed memory) and by put (the sender writes into
// the receiver's), some pieces at a time, each straight between the programs' buffers. Progress is made in Engine::poll. The
// other side learns by `finished` when all has been read, by `placed` behind the last write: what is posted later on a link
// that keeps its order with writes (channel/rendezvous.cpp) is seen later.
#include "match/remote_copy.hpp"

#include <algorithm>

#include "match/engine.hpp"

namespace weft::match {

// Null: our memory has gaps or can't be exposed; nothing happened.
RemoteCopy* Engine::prepare_remote_copy(Peer& peer, const TypedBuffer& buffer, fabric::Remote remote, std::uint64_t twin, std::size_t bytes) {
  void* run = buffer.run();
  fabric::Region region{};
  if (run == nullptr || peer.channel.bulk->expose(run, bytes, region) != Status::ok) return nullptr;
  RemoteCopy* copy = remote_copy_pool_.take();
  copy->peer = &peer;
  copy->receive = nullptr;
  copy->send = nullptr;
  copy->region = region;
  copy->remote = remote;
  copy->twin = twin;
  copy->bytes = bytes;
  copy->posted_bytes = 0;
  copy->told = false;
  copy->status = Status::ok;
  for (fabric::Operation& piece : copy->pieces) piece = {};
  remote_copies_.push_back(copy);
  return copy;
}

// False: this transfer can't go this way, and nothing happened.
bool Engine::begin_remote_read(Receive& receive, Peer& peer, const Announcement& announcement, std::size_t bytes) {
  RemoteCopy* copy = prepare_remote_copy(peer, receive.buffer, {announcement.address, announcement.key}, announcement.sender, bytes);
  if (copy == nullptr) return false;
  copy->receive = &receive;
  (void)advance(*copy);
  return true;
}

bool Engine::begin_remote_write(Send& send, Peer& peer, const PayloadRequest& request) {
  RemoteCopy* copy = prepare_remote_copy(peer, send.buffer, {request.address, request.key}, request.receiver, request.wanted_bytes);
  if (copy == nullptr) return false;
  copy->send = &send;
  send.state = Send::State::placing;
  (void)advance(*copy);
  return true;
}

// The next piece. `again`: nothing happened.
Outcome Engine::post_piece(RemoteCopy& copy, fabric::Operation& piece) {
  channel::Bulk& bulk = *copy.peer->channel.bulk;
  const std::size_t bytes = std::min(copy.bytes - copy.posted_bytes, bulk.max_piece_bytes());
  const fabric::Local local = copy.region.local(copy.posted_bytes);
  const fabric::Remote remote{copy.remote.address + copy.posted_bytes, copy.remote.key};
  piece = {false, Status::ok};
  const Outcome outcome = copy.send != nullptr ? bulk.post_write(local, remote, bytes, piece) : bulk.post_read(local, remote, bytes, piece);
  piece.done = outcome != Outcome::posted;
  if (outcome == Outcome::failed) copy.status = Status::peer_lost;
  else if (outcome != Outcome::again) copy.posted_bytes += bytes;
  return outcome;
}

// Posts what can be posted. True when anything was posted.
bool Engine::advance(RemoteCopy& copy) {
  const std::size_t posted_before = copy.posted_bytes;
  for (fabric::Operation& piece : copy.pieces) {
    if (!piece.done) continue;
    if (piece.status != Status::ok) copy.status = piece.status;
    if (copy.status != Status::ok || copy.posted_bytes == copy.bytes) continue;
    if (post_piece(copy, piece) == Outcome::again) break;
  }
  if (copy.send != nullptr && !copy.told && copy.status == Status::ok && copy.posted_bytes == copy.bytes) tell_over(copy);
  return copy.posted_bytes != posted_before;
}

bool Engine::poll_remote_copies() {
  bool moved = false;
  for (std::size_t i = 0; i < remote_copies_.size();) {
    RemoteCopy& copy = *remote_copies_[i];
    moved |= advance(copy);
    const bool quiet = std::all_of(std::begin(copy.pieces), std::end(copy.pieces), [](const fabric::Operation& piece) { return piece.done; });
    if (!quiet || (copy.status == Status::ok && copy.posted_bytes < copy.bytes)) {
      ++i;
      continue;
    }
    remote_copies_[i] = remote_copies_.back();
    remote_copies_.pop_back();
    finish(copy);
    moved = true;
  }
  return moved;
}

void Engine::tell_over(RemoteCopy& copy) {
  copy.told = true;
  post_control(*copy.peer, copy.send != nullptr ? Kind::placed : Kind::finished, Key{copy.twin, 0, static_cast<std::int32_t>(copy.status)}, nullptr, 0);
}

void Engine::finish(RemoteCopy& copy) {
  copy.peer->channel.bulk->conceal(copy.region);
  if (!copy.told) tell_over(copy);
  Receive* receive = copy.receive;
  Send* send = copy.send;
  const Status status = copy.status;
  if (status == Status::peer_lost) tell_loss(*copy.peer);
  remote_copy_pool_.give(&copy);
  if (send != nullptr) send->complete(status);
  else receive->complete_rendezvous(status);
}

}  // namespace weft::match
