// The engine's life, and the progress loop.
#include "match/engine.hpp"

#include <cstring>

#include <algorithm>

#include "os/log.hpp"
#include "os/options.hpp"

namespace weft::match {
namespace {

class CompletedReceive final : public Request {
 public:
  CompletedReceive() { done = true; magic = magic_value; form = Form::received; source = nobody; }
  void release() override {}
};

CompletedReceive the_completed_receive;

}  // namespace

namespace detail {
Engine process_engine;
CompletedSend the_completed_send;
}



Request* completed_receive() noexcept { return &the_completed_receive; }

Request* Engine::prepare_nothing(int source, int tag, bool receive) {
  auto* nothing = new NullTransfer;
  nothing->magic = Request::magic_value;
  nothing->source = source;
  nothing->tag = tag;
  nothing->form = receive ? Form::received : Form::sent;
  return nothing;
}

Done Engine::open(std::unique_ptr<channel::Switchboard> switchboard, int world_rank, int world_size, LossHandler lost) {
  switchboard_ = std::move(switchboard);
  loss_handler_ = lost;
  find_polled_ports();
  leaves_together_ = !polled_ports_.empty();
  world_rank_ = world_rank;
  nobody_.eager_left = -1;
  peers_.assign(static_cast<std::size_t>(world_size), &nobody_);
  option_eager_limit_ = static_cast<std::size_t>(os::option_number("eager-limit"));
  unexpected_limit_ = static_cast<std::uint64_t>(os::option_number("unexpected-limit"));
  waiting_.open(switchboard_->ports(), os::option_number("spin"));
  return Nothing{};
}

void Engine::finish_sends() {
  wait_until([this] { return busy_outboxes_ == 0 && busy_controls_ == 0 && detached_sends_ == 0; });
}

void Engine::close() {
  if (!switchboard_) return;
  finish_sends();
  for (Peer* peer : connected_) delete peer;
  connected_.clear();
  polled_ports_.clear();
  silent_links_ = 0;
  peers_.clear();
  switchboard_.reset();
}

Peer* Engine::connect(int world_rank) {
  Expected<channel::Channel> channel = switchboard_->open(world_rank);
  if (!channel) {
    if (loss_handler_ != nullptr) loss_handler_(world_rank, channel.failure().note.c_str());
    else os::log_error("cannot reach rank {}: {}", world_rank, channel.failure().note);
    return nullptr;
  }
  auto* peer = new Peer{};
  peer->channel = std::move(*channel);
  peer->out = peer->channel.out.get();
  peer->in = peer->channel.in.get();
  const bool direct = option_eager_limit_ >= fabric::slot_inline_bytes && peer->channel.direct_out != nullptr;
  peer->direct_out = direct ? peer->channel.direct_out : &nowhere_;
  peer->direct_in = peer->channel.direct_in;
  peer->world_rank = world_rank;
  peer->eager_end = unexpected_limit_;
  peer->eager_left = static_cast<std::int64_t>(unexpected_limit_ - overhead);
  peer->held_tell = unexpected_limit_ / 8;
  const std::size_t eager = os::option_is_set("eager-limit") ? option_eager_limit_ : std::max(option_eager_limit_, peer->channel.eager_bytes);
  peer->eager_limit = std::min(eager, peer->out->max_payload_bytes());
  if (scratch_.size() < peer->out->max_payload_bytes()) scratch_.resize(peer->out->max_payload_bytes());
  peers_[static_cast<std::size_t>(world_rank)] = peer;
  connected_.push_back(peer);
  silent_links_ += peer->in->is_silent();
  if (peer->channel.endpoint != nullptr) find_polled_ports();   // a port may have something to do from its first endpoint on
  return peer;
}

void Engine::find_polled_ports() {
  polled_ports_.clear();
  for (fabric::Port* port : switchboard_->ports())
    if (port->has_poll()) polled_ports_.push_back(port);
}

void Engine::expect_sleep() noexcept {
  if (silent_links_ == 0) return;
  for (Peer* peer : connected_) peer->in->expect_sleep();
}

bool Engine::poll() {
  bool moved = false;
  if (!polled_ports_.empty()) [[unlikely]] moved |= poll_ports();
  // by index: a handler may connect to a new peer
  for (std::size_t i = 0; i < connected_.size(); ++i) moved |= connected_[i]->direct_in != nullptr ? poll_direct(*connected_[i]) : poll_peer(*connected_[i]);
  if ((busy_controls_ | busy_outboxes_) != 0) [[unlikely]] moved |= flush_waiting();
  for (std::size_t i = 0; i < services_.size(); ++i) moved |= services_[i]->poll();
  moved |= poll_contacts();
  if (moved) stir();
  return moved;
}

// Ports with a progress of their own, and what only they bring.
bool Engine::poll_ports() {
  bool moved = false;
  for (fabric::Port* port : polled_ports_) moved |= port->poll();
  if (!remote_copies_.empty()) moved |= poll_remote_copies();
  return moved;
}

// A peer over an endpoint, or ourselves.
bool Engine::poll_peer(Peer& peer) {
  bool moved = peer.out->poll();
  for (int count = 0; count < arrivals_a_turn; ++count) {
    const channel::Arrival arrival = peer.in->poll();
    if (!arrival) break;
    handle(peer, arrival);
    moved = true;
  }
  if (peer.channel.endpoint != nullptr && peer.channel.endpoint->state() == fabric::Endpoint::State::lost && !peer.lost) [[unlikely]]
    tell_loss(peer);
  return moved;
}

// A process on this host may be found to be gone before its endpoint is, or without one.
void Engine::tell_loss(Peer& peer) {
  const fabric::Endpoint* endpoint = peer.channel.endpoint;
  const bool knows_why = endpoint != nullptr && endpoint->state() == fabric::Endpoint::State::lost;
  tell_loss(peer.world_rank, knows_why ? endpoint->loss() : "its process has ended while a message was under way");
}

void Engine::tell_loss(int world_rank, const char* why) {
  if (Peer* known = peers_[static_cast<std::size_t>(world_rank)]; known != &nobody_) {
    if (known->lost) return;
    known->lost = true;
  }
  if (loss_handler_ != nullptr) loss_handler_(world_rank, why);
}

bool Engine::poll_contacts() {
  for (fabric::Port* port : switchboard_->ports()) {
    const int contact = port->poll_contact();
    if (__builtin_expect(contact < 0, 1)) continue;
    (void)peer(contact);
    return true;
  }
  return false;
}

std::uint64_t Engine::wasted_reads() const noexcept {
  std::uint64_t sum = 0;
  for (const Peer* peer : connected_) sum += peer->in->wasted_reads();
  return sum;
}

std::int64_t Engine::longest_sleep_ns() const noexcept {
  std::int64_t limit_ns = INT64_MAX;
  if (silent_links_ != 0 && std::any_of(connected_.begin(), connected_.end(), [](const Peer* peer) { return peer->in->is_silent(); }))
    limit_ns = silent_sleep_ns;
  for (const Service* service : services_) limit_ns = std::min(limit_ns, service->longest_sleep_ns());
  return limit_ns;
}

Expected<fabric::Endpoint*> Engine::endpoint(int world_rank, fabric::Port& port) {
  const Expected<channel::Choice> choice = switchboard_->choose(world_rank);
  if (!choice) return choice.failure();
  if (choice->port == &port)
    if (const Peer* known = peer(world_rank); known != nullptr && known->channel.endpoint != nullptr) return known->channel.endpoint;
  const Expected<fabric::Endpoint*> bare = switchboard_->open_bare(world_rank, port);
  find_polled_ports();
  return bare;
}

void Engine::remove_service(Service* service) { services_.erase(std::find(services_.begin(), services_.end(), service)); }

void Engine::handle(Peer& peer, const channel::Arrival& arrival) {
  ++handled_;
  switch (static_cast<Kind>(arrival.header->content.kind())) {
    case Kind::eager:
    case Kind::announce: return handle_message(peer, arrival);
    case Kind::request: return handle_request(peer, arrival);
    case Kind::fragment: return handle_fragment(arrival);
    case Kind::placed:
      return reinterpret_cast<Receive*>(arrival.header->envelope.context)->complete_rendezvous(static_cast<Status>(arrival.header->envelope.tag));
    case Kind::finished: return reinterpret_cast<Send*>(arrival.header->envelope.context)->complete(static_cast<Status>(arrival.header->envelope.tag));
    case Kind::withdraw: return handle_withdraw(peer, arrival);
    case Kind::withdrawn: {
      auto* send = reinterpret_cast<Send*>(arrival.header->envelope.context);
      send->cancelled = true;
      return send->complete(Status::ok);
    }
  }
  WEFT_REQUIRE(!"a message of a known kind");
}

void Engine::post_control(Peer& peer, Kind kind, Key key, const void* payload, std::uint32_t length) {
  if (peer.controls_head == nullptr && peer.out->post(key, {length, static_cast<std::uint32_t>(kind)}, payload) == Outcome::done) return;
  Control* control = control_pool_.take();
  control->key = key;
  control->kind = kind;
  control->length = length;
  if (length != 0) std::memcpy(control->payload, payload, length);
  control->next = nullptr;
  if (peer.controls_head == nullptr) {
    peer.controls_head = control;
    ++busy_controls_;
  } else {
    peer.controls_tail->next = control;
  }
  peer.controls_tail = control;
}

bool Engine::flush_controls(Peer& peer) {
  bool moved = false;
  while (Control* control = peer.controls_head) {
    if (peer.out->post(control->key, {control->length, static_cast<std::uint32_t>(control->kind)}, control->payload) != Outcome::done) return moved;
    peer.controls_head = control->next;
    control_pool_.give(control);
    moved = true;
  }
  --busy_controls_;
  return true;
}

// Controls go before sends: they give memory back or end transfers, and their order against messages does not matter.
bool Engine::flush_waiting() {
  bool moved = false;
  for (std::size_t i = 0; i < connected_.size(); ++i) {
    Peer& peer = *connected_[i];
    if (peer.controls_head != nullptr) moved |= flush_controls(peer);
    if (peer.outbox_head != nullptr && peer.controls_head == nullptr) moved |= flush_outbox(peer);
  }
  return moved;
}

}  // namespace weft::match
