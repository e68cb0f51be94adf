// Rendezvous on the receiver's side: one read from the sender's memory where the fabric can, else it asks for the payload, to
// be written into its own or to come in fragments.
#include "match/engine.hpp"

#include <cstring>

namespace weft::match {
namespace {

constexpr int runs_at_once = 64;

}  // namespace

void Engine::begin_rendezvous(Receive& receive, Peer& peer, const Key& key, const Announcement& announcement) {
  receive.matched = true;
  receive.source = key.source;
  receive.tag = key.tag;
  receive.bytes = announcement.bytes;
  const std::size_t room = receive.limit_bytes;
  const std::size_t wanted = announcement.bytes <= room ? announcement.bytes : room;
  const bool readable = announcement.address != 0 && peer.channel.bulk != nullptr && peer.channel.bulk->can_read();
  const bool prompt = readable && peer.channel.bulk->is_prompt();
  if (wanted != 0 && readable && !prompt && begin_remote_read(receive, peer, announcement, wanted)) return;
  if (wanted == 0 || prompt) {
    const Status status = wanted == 0 ? Status::ok : read_announced(receive, peer, announcement, wanted);
    if (status == Status::peer_lost) tell_loss(peer);
    post_control(peer, Kind::finished, Key{announcement.sender, 0, static_cast<std::int32_t>(status)}, nullptr, 0);
    return receive.complete_rendezvous(status);
  }
  receive.got_bytes = 0;
  receive.wanted_bytes = wanted;
  if (peer.channel.rendezvous_in == channel::Rendezvous::put && wanted > peer.out->max_payload_bytes()) expose(receive, peer, wanted);
  const PayloadRequest request{reinterpret_cast<std::uintptr_t>(&receive), wanted, receive.exposed.remote.address, receive.exposed.remote.key};
  post_control(peer, Kind::request, Key{announcement.sender, 0, 0}, &request, sizeof request);
}

// Lets the sender write the payload; where the buffer has gaps or can't be exposed, it will come in fragments.
void Engine::expose(Receive& receive, Peer& peer, std::size_t bytes) {
  void* run = receive.buffer.run();
  receive.bulk = peer.channel.bulk.get();
  if (run == nullptr || receive.bulk->expose(run, bytes, receive.exposed) != Status::ok) receive.exposed = {};
}

void Receive::complete_rendezvous(Status outcome) {
  if (exposed.address != nullptr) {
    bulk->conceal(exposed);
    exposed = {};
  }
  complete(outcome != Status::ok ? outcome : bytes <= limit_bytes ? Status::ok : Status::truncated);
}

Status Engine::read_announced(Receive& receive, Peer& peer, const Announcement& announcement, std::size_t bytes) {
  if (void* run = receive.buffer.run(); run != nullptr) {
    const iovec whole{run, bytes};
    return peer.channel.bulk->read(announcement.address, &whole, 1);
  }
  std::size_t done = 0;
  while (done < bytes) {
    iovec pieces[runs_at_once];
    const int count = data::runs(receive.buffer.type, receive.buffer.address, receive.buffer.count, static_cast<std::int64_t>(done), pieces,
                                 runs_at_once, static_cast<std::int64_t>(bytes - done));
    const Status status = peer.channel.bulk->read(announcement.address + done, pieces, count);
    if (status != Status::ok) return status;
    for (int i = 0; i < count; ++i) done += pieces[i].iov_len;
  }
  return Status::ok;
}

void Engine::handle_fragment(const channel::Arrival& arrival) {
  Receive& receive = *reinterpret_cast<Receive*>(arrival.header->envelope.context);
  const std::size_t bytes = arrival.header->content.length();
  if (void* run = receive.buffer.run(); run != nullptr) std::memcpy(static_cast<std::byte*>(run) + receive.got_bytes, arrival.payload, bytes);
  else
    data::unpack(receive.buffer.type, receive.buffer.address, receive.buffer.count, static_cast<std::int64_t>(receive.got_bytes), arrival.payload,
                 static_cast<std::int64_t>(bytes));
  receive.got_bytes += bytes;
  if (receive.got_bytes == receive.wanted_bytes) receive.complete_rendezvous(Status::ok);
}

}  // namespace weft::match
