// Sending: the eager fast way's slower relatives, the outbox, announcements and fragments.
#include "match/engine.hpp"

#include <algorithm>
#include <cstring>

namespace weft::match {

bool Engine::post_eager(Peer& peer, Key key, const void* payload, std::size_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (wanted > peer.eager_left && peer.outbox_head == nullptr) look_for_room(peer, peer.eager_left);
  if (bytes > peer.eager_limit || wanted > peer.eager_left) return false;
  if (peer.out->post(key, {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(Kind::eager)}, payload) != Outcome::done) return false;
  take_room(peer.eager_left, bytes);
  return true;
}

// Looks again at what the receiver has taken.
void Engine::look_for_room(Peer& peer, std::int64_t& left) noexcept {
  const std::uint64_t end = peer.out->released() + unexpected_limit_;
  left += static_cast<std::int64_t>(end - peer.eager_end);
  peer.eager_end = end;
}

const void* Engine::pack_whole(const TypedBuffer& buffer, std::size_t bytes) {
  data::pack(buffer.type, buffer.address, buffer.count, 0, scratch_.data(), static_cast<std::int64_t>(bytes));
  return scratch_.data();
}

Send* Engine::prepare_send(int peer_rank, std::uint64_t context, int my_rank, int tag, const TypedBuffer& buffer, SendMode mode) {
  Send* send = sends_.take();
  send->magic = Request::magic_value;
  send->done = send->persistent = send->detached = send->cancelled = false;
  send->active = true;
  send->status = Status::ok;
  send->owner = nullptr;
  send->engine = this;
  send->peer = peer(peer_rank);
  send->buffer = buffer;
  send->key = Key{context, my_rank, tag};
  send->mode = mode;
  send->state = Send::State::idle;
  send->exposed = {};
  data::retain(buffer.type);
  return send;
}

Request* Engine::post_send(int peer_rank, std::uint64_t context, int my_rank, int tag, const TypedBuffer& buffer, SendMode mode) {
  Peer* known = peer(peer_rank);
  if (known != nullptr && mode != SendMode::synchronous && try_eager(*known, context, my_rank, tag, buffer)) return completed_send();
  Send* send = prepare_send(peer_rank, context, my_rank, tag, buffer, mode);
  (void)start(*send);
  return send;
}

Status Engine::start(Send& send) {
  send.done = send.cancelled = false;
  send.active = true;
  send.status = Status::ok;
  send.sent_bytes = 0;
  send.state = Send::State::queued;
  if (send.peer == nullptr) {
    send.complete(Status::peer_lost);
  } else if (send.mode != SendMode::synchronous && try_eager(*send.peer, send.key.context, send.key.source, send.key.tag, send.buffer)) {
    send.complete(Status::ok);
  } else {
    enqueue(send);
    (void)flush_outbox(*send.peer);
  }
  return Status::ok;
}

void Engine::enqueue(Send& send) {
  Peer& peer = *send.peer;
  send.next = nullptr;
  if (peer.outbox_head == nullptr) {
    peer.outbox_head = &send;
    peer.parked_left = peer.eager_left;
    peer.eager_left = -1;   // nothing may overtake it
    ++busy_outboxes_;
  } else {
    peer.outbox_tail->next = &send;
  }
  peer.outbox_tail = &send;
}

bool Engine::flush_outbox(Peer& peer) {
  bool moved = false;
  while (peer.outbox_head != nullptr) {
    Send& send = *peer.outbox_head;
    const std::size_t sent_before = send.sent_bytes;
    if (!push(peer, send)) return moved || send.sent_bytes != sent_before;
    moved = true;
    peer.outbox_head = send.next;
    if (peer.outbox_head == nullptr) {
      peer.eager_left = peer.parked_left;
      --busy_outboxes_;
    }
    const bool finished = send.state == Send::State::idle;
    if (finished) send.complete(Status::ok);
  }
  return moved;
}

bool Engine::push(Peer& peer, Send& send) {
  if (send.state == Send::State::fragments) return push_fragments(peer, send);
  const std::size_t bytes = send.buffer.bytes();
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (wanted > peer.parked_left) look_for_room(peer, peer.parked_left);
  if (send.mode == SendMode::synchronous || bytes > peer.eager_limit || wanted > peer.parked_left) return push_announcement(peer, send);
  const void* payload = send.buffer.run();
  if (payload == nullptr) payload = pack_whole(send.buffer, bytes);
  if (peer.out->post(send.key, {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(Kind::eager)}, payload) != Outcome::done) return false;
  take_room(peer.parked_left, bytes);
  send.state = Send::State::idle;
  return true;
}

// The address is told where the peer is to read the payload itself: over an endpoint its memory is exposed for that. Not where
// that can't be, or one fragment carries it whole at less cost: the peer asks for the payload then.
bool Engine::push_announcement(Peer& peer, Send& send) {
  Announcement announcement{send.buffer.bytes(), reinterpret_cast<std::uintptr_t>(send.buffer.run()), reinterpret_cast<std::uintptr_t>(&send),
                            send.mode != SendMode::synchronous && send.buffer.bytes() <= peer.eager_limit ? 1u : 0u, 0};
  channel::Bulk* bulk = peer.channel.bulk.get();
  if (announcement.address != 0 && announcement.bytes != 0 && bulk != nullptr && !bulk->is_prompt()) {
    const bool by_get = peer.channel.rendezvous_out == channel::Rendezvous::get && announcement.bytes > peer.out->max_payload_bytes();
    if (by_get && send.exposed.address == nullptr && bulk->expose(send.buffer.run(), announcement.bytes, send.exposed) != Status::ok) send.exposed = {};
    announcement.address = send.exposed.remote.address;
    announcement.key = send.exposed.remote.key;
  }
  if (peer.out->post(send.key, {sizeof announcement, static_cast<std::uint32_t>(Kind::announce)}, &announcement) != Outcome::done) return false;
  send.state = Send::State::announced;
  return true;
}

void Send::conceal() {
  peer->channel.bulk->conceal(exposed);
  exposed = {};
}

void Engine::handle_request(Peer& peer, const channel::Arrival& arrival) {
  PayloadRequest request;
  std::memcpy(&request, arrival.payload, sizeof request);
  Send& send = *reinterpret_cast<Send*>(arrival.header->envelope.context);
  if (request.address != 0 && begin_remote_write(send, peer, request)) return;
  send.receiver = request.receiver;
  send.wanted_bytes = request.wanted_bytes;
  send.sent_bytes = 0;
  send.state = Send::State::fragments;
  enqueue(send);
  (void)flush_outbox(peer);
}

bool Engine::push_fragments(Peer& peer, Send& send) {
  const auto* run = static_cast<const std::byte*>(send.buffer.run());
  while (send.sent_bytes < send.wanted_bytes) {
    const std::size_t bytes = std::min(send.wanted_bytes - send.sent_bytes, peer.out->max_payload_bytes());
    const void* payload = run + send.sent_bytes;
    if (run == nullptr) {
      data::pack(send.buffer.type, send.buffer.address, send.buffer.count, static_cast<std::int64_t>(send.sent_bytes), scratch_.data(), static_cast<std::int64_t>(bytes));
      payload = scratch_.data();
    }
    const channel::Content content{static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(Kind::fragment)};
    if (peer.out->post(Key{send.receiver, 0, 0}, content, payload) != Outcome::done) return false;
    send.sent_bytes += bytes;
  }
  send.state = Send::State::idle;
  return true;
}

void Engine::withdraw(Send& send) {
  if (send.done || send.state != Send::State::announced) return;
  const std::uint64_t sender = reinterpret_cast<std::uintptr_t>(&send);
  post_control(*send.peer, Kind::withdraw, send.key, &sender, sizeof sender);
}

void Engine::detach(Send& send) {
  if (send.done || !send.active) return give(&send);
  send.detached = true;
  ++detached_sends_;
}

void Engine::give(Send* send) noexcept {
  if (send->detached) --detached_sends_;
  send->magic = 0;
  data::release(send->buffer.type);
  sends_.give(send);
}

Status Send::start() { return engine->start(*this); }
void Send::cancel() { engine->withdraw(*this); }
void Send::detach() { engine->detach(*this); }
void Send::release() { engine->give(this); }

}  // namespace weft::match
