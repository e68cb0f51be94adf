// Rendezvous by get over an endpoint: the receiver reads the announced payload from the sender's exposed memory, some pieces
// at a time, into its own. Progress is made in Engine::poll; the sender learns by `finished`.
#include "match/remote_read.hpp"

#include <algorithm>

#include "match/engine.hpp"

namespace weft::match {

// False: this transfer can't go this way (gaps in the buffer, memory that can't be exposed), and nothing happened.
bool Engine::begin_remote_read(Receive& receive, Peer& peer, const Announcement& announcement, std::size_t bytes) {
  void* run = receive.buffer.run();
  fabric::Region region{};
  if (run == nullptr || peer.channel.bulk->expose(run, bytes, region) != Status::ok) return false;
  RemoteRead* read = remote_read_pool_.take();
  read->peer = &peer;
  read->receive = &receive;
  read->region = region;
  read->from = {announcement.address, announcement.key};
  read->sender = announcement.sender;
  read->bytes = bytes;
  read->posted_bytes = 0;
  read->status = Status::ok;
  for (fabric::Operation& piece : read->pieces) piece = {};
  remote_reads_.push_back(read);
  (void)advance(*read);
  return true;
}

// Posts what can be posted. True when anything was posted.
bool Engine::advance(RemoteRead& read) {
  bool moved = false;
  for (fabric::Operation& piece : read.pieces) {
    if (!piece.done) continue;
    if (piece.status != Status::ok) read.status = piece.status;
    if (read.status != Status::ok || read.posted_bytes == read.bytes) continue;
    const std::size_t bytes = std::min(read.bytes - read.posted_bytes, read.peer->channel.bulk->max_read_bytes());
    piece = {false, Status::ok};
    const fabric::Remote from{read.from.address + read.posted_bytes, read.from.key};
    const Outcome outcome = read.peer->channel.bulk->post_read(read.region.local(read.posted_bytes), from, bytes, piece);
    if (outcome == Outcome::again) {
      piece.done = true;
      return moved;
    }
    if (outcome == Outcome::failed) {
      piece = {};
      read.status = Status::peer_lost;
      continue;
    }
    if (outcome == Outcome::done) piece.done = true;
    read.posted_bytes += bytes;
    moved = true;
  }
  return moved;
}

bool Engine::poll_remote_reads() {
  bool moved = false;
  for (std::size_t i = 0; i < remote_reads_.size();) {
    RemoteRead& read = *remote_reads_[i];
    moved |= advance(read);
    const bool quiet = std::all_of(std::begin(read.pieces), std::end(read.pieces), [](const fabric::Operation& piece) { return piece.done; });
    if (!quiet || (read.status == Status::ok && read.posted_bytes < read.bytes)) {
      ++i;
      continue;
    }
    remote_reads_[i] = remote_reads_.back();
    remote_reads_.pop_back();
    finish(read);
    moved = true;
  }
  return moved;
}

void Engine::finish(RemoteRead& read) {
  read.peer->channel.bulk->conceal(read.region);
  post_control(*read.peer, Kind::finished, Key{read.sender, 0, static_cast<std::int32_t>(read.status)}, nullptr, 0);
  Receive& receive = *read.receive;
  const Status status = read.status;
  remote_read_pool_.give(&read);
  receive.complete(status != Status::ok ? status : receive.bytes <= receive.limit_bytes ? Status::ok : Status::truncated);
}

}  // namespace weft::match
