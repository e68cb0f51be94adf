// How a tcp port comes to its lanes: calling peers, and being called. Of all connections that two ranks make towards each other,
// at once or over several addresses, the lower rank takes the first that is greeted through, and that ends the others.
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>

#include <fmt/format.h>

#include "fabric/tcp/port.hpp"
#include "os/clock.hpp"
#include "os/log.hpp"

namespace weft::fabric::tcp {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t tick_ns = 20 * ms;
constexpr std::int64_t stagger_ns = 50 * ms;          // until the next address is tried as well
constexpr std::int64_t stranger_ns = 5'000 * ms;      // a caller proves itself within that time of being heard, or goes
constexpr std::size_t most_strangers = 256;
constexpr int accepts_a_turn = 64;
constexpr int most_second_tries = 20;
// All addresses have failed: the peer, where it is opening its side too, may still come through to us.
constexpr std::int64_t grace_ns = 2'000 * ms;

}  // namespace

TcpEndpoint* TcpPort::find(int rank) const noexcept {
  const auto found = endpoints_.find(rank);
  return found == endpoints_.end() ? nullptr : found->second.get();
}

const Opening& TcpPort::opening_towards(int rank) const noexcept { return find(rank)->opening(); }

bool TcpPort::has_handshake(int rank, std::uint32_t lane) const noexcept {
  return std::any_of(handshakes_.begin(), handshakes_.end(), [&](const auto& entry) {
    return entry->stage() != Handshake::Stage::over && entry->peer_rank() == rank && entry->lane() == lane;
  });
}

Expected<Endpoint*> TcpPort::open(int world_rank, const std::string& peer_card, const Opening& ours) {
  if (TcpEndpoint* known = find(world_rank)) return static_cast<Endpoint*>(known);
  Card theirs;
  if (!parse(peer_card, theirs)) return Failure{Status::bad_argument, fmt::format("rank {} has no card of the tcp fabric", world_rank)};
  auto owned = std::make_unique<TcpEndpoint>(*this, world_rank, PeerAddress{theirs.id, theirs.key, theirs.port, {}}, ours);
  TcpEndpoint* endpoint = owned.get();
  endpoints_.emplace(world_rank, std::move(owned));
  for (std::size_t i = 0; i < handshakes_.size(); ++i)
    if (handshakes_[i]->stage() == Handshake::Stage::contact && handshakes_[i]->peer_rank() == world_rank) admit(*handshakes_[i]);
  endpoint->set_addresses(candidates(card_, theirs));
  if (endpoint->state() == Endpoint::State::opening && !has_handshake(world_rank, Lane::frames_number)) call(*endpoint, Lane::frames_number);
  reap();
  return static_cast<Endpoint*>(endpoint);
}

int TcpPort::poll_contact() noexcept {
  while (!contacts_.empty()) {
    const int rank = contacts_.back();
    contacts_.pop_back();
    if (find(rank) == nullptr) return rank;
  }
  return -1;
}

// ---- being called

void TcpPort::accept_callers() {
  const std::int64_t now_ns = os::now_ns();
  for (int turn = 0; turn < accepts_a_turn; ++turn) {
    os::Fd socket = os::accept_now(listener_);
    if (!socket) return;
    if (settings_.restricted) {
      const os::Address local = os::address_of(os::local_address(socket));
      const bool listed = std::any_of(card_.addresses.begin(), card_.addresses.end(),
                                      [&](const os::InterfaceAddress& entry) { return entry.address.bytes == local.bytes; });
      if (!listed) continue;
    }
    const auto is_stranger = [](const auto& entry) { return entry->is_stranger(); };
    if (static_cast<std::size_t>(std::count_if(handshakes_.begin(), handshakes_.end(), is_stranger)) >= most_strangers)
      (*std::find_if(handshakes_.begin(), handshakes_.end(), is_stranger))->end();    // the one who has been here longest
    handshakes_.push_back(std::make_unique<Handshake>(*this, std::move(socket), now_ns));
    add(handshakes_.back()->socket(), *handshakes_.back(), EPOLLIN);
    set_timer(true);
    handshakes_.back()->step();
  }
}

void TcpPort::admit(Handshake& caller) {
  TcpEndpoint* endpoint = find(caller.peer_rank());
  if (endpoint == nullptr) {
    contacts_.push_back(caller.peer_rank());
    return;
  }
  if (endpoint->has_lane(caller.lane()) || endpoint->state() == Endpoint::State::lost) return caller.end();
  caller.proceed(endpoint->opening());
  if (we_decide(caller.peer_rank()) && caller.stage() == Handshake::Stage::commit) establish(caller);
}

// ---- calling

void TcpPort::call(TcpEndpoint& endpoint, std::uint32_t lane) {
  const std::int64_t now_ns = os::now_ns();
  std::vector<os::Address> addresses = lane == Lane::frames_number ? endpoint.addresses() : std::vector<os::Address>{endpoint.address().proven};
  calls_.push_back({&endpoint, lane, std::move(addresses), 0, 0, {}, 0, now_ns + settings_.connect_timeout_s * 1000 * ms, 0});
  set_timer(true);
  start_next(calls_.back());
}

void TcpPort::start_next(Call& call) {
  const PeerAddress& peer = call.endpoint->address();
  while (!call.left.empty()) {
    const os::Address address = call.left.front();
    call.left.erase(call.left.begin());
    call.last_start_ns = os::now_ns();
    Expected<os::Fd> socket = os::begin_connect(address, peer.port);
    if (!socket) {
      call.errors += fmt::format("{}{}", call.errors.empty() ? "" : "; ", socket.failure().note);
      continue;
    }
    Proofs proofs{peer.key, {}, {}};
    proofs.hello.port_id = peer.port_id;
    proofs.hello.rank = world_rank_;
    proofs.hello.lane = call.lane;
    (void)os::fill_random(&proofs.hello.nonce, sizeof proofs.hello.nonce);
    handshakes_.push_back(std::make_unique<Handshake>(*this, std::move(*socket), proofs, call.endpoint->world_rank(), address, call.deadline_ns));
    add(handshakes_.back()->socket(), *handshakes_.back(), EPOLLOUT);
    ++call.under_way;
    return;
  }
  if (call.under_way == 0) call.failed_ns = os::now_ns();
}

TcpPort::Call* TcpPort::call_of(const TcpEndpoint* endpoint, std::uint32_t lane) noexcept {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const Call& call) { return call.endpoint == endpoint && call.lane == lane; });
  return found == calls_.end() ? nullptr : &*found;
}

void TcpPort::end_call(const TcpEndpoint* endpoint, std::uint32_t lane) noexcept {
  std::erase_if(calls_, [&](const Call& call) { return call.endpoint == endpoint && call.lane == lane; });
}

// A peer that accepts and closes may have been flooded by others, or decide against this connection: it is asked again.
void TcpPort::call_failed(Handshake& handshake, const char* why, bool unanswered) {
  Call* call = call_of(find(handshake.peer_rank()), handshake.lane());
  if (call == nullptr) return;
  --call->under_way;
  if (unanswered && ++call->second_tries <= most_second_tries) {
    call->left.push_back(handshake.to());
    return;
  }
  call->errors += fmt::format("{}{}: {}", call->errors.empty() ? "" : "; ", os::text_of(handshake.to(), call->endpoint->address().port), why);
  start_next(*call);
}

void TcpPort::conclude(Handshake& handshake) {
  TcpEndpoint* endpoint = find(handshake.peer_rank());
  if (endpoint->has_lane(handshake.lane()) || endpoint->state() == Endpoint::State::lost) return handshake.end();
  if (we_decide(handshake.peer_rank()) && !handshake.say_commit()) return;
  establish(handshake);
}

void TcpPort::establish(Handshake& handshake) {
  TcpEndpoint* endpoint = find(handshake.peer_rank());
  if (endpoint->has_lane(handshake.lane()) || endpoint->state() == Endpoint::State::lost) return handshake.end();
  unwatch(handshake.socket());
  endpoint->establish(handshake.lane(), std::move(handshake.socket()), handshake.theirs(), handshake.is_call());
  handshake.end();
  end_call(endpoint, handshake.lane());
  for (auto& other : handshakes_)
    if (other->peer_rank() == handshake.peer_rank() && other->lane() == handshake.lane()) other->end();
}

// ---- time

void TcpPort::set_timer(bool on) noexcept {
  if (on == timer_on_) return;
  timer_on_ = on;
  const std::int64_t period_ns = on ? tick_ns : 0;
  const itimerspec spec{{0, period_ns}, {0, period_ns}};
  (void)::timerfd_settime(timer_.get(), 0, &spec, nullptr);
}

void TcpPort::tick() noexcept {
  const std::int64_t now_ns = os::now_ns();
  bool strangers = false;
  for (std::size_t i = 0; i < handshakes_.size(); ++i) {      // by index: a call that fails starts the next
    Handshake& handshake = *handshakes_[i];
    if (handshake.is_stranger() && now_ns - handshake.since_ns() >= stranger_ns) handshake.end();
    else if (handshake.stage() == Handshake::Stage::connecting && now_ns >= handshake.deadline_ns()) handshake.time_out();
    strangers |= handshake.is_stranger();
  }
  tick_calls(now_ns);
  if (calls_.empty() && !strangers) set_timer(false);
}

void TcpPort::tick_calls(std::int64_t now_ns) {
  for (std::size_t i = 0; i < calls_.size();) {
    Call& call = calls_[i];
    if (!call.left.empty() && now_ns - call.last_start_ns >= stagger_ns) start_next(call);
    if (call.failed_ns == 0 || now_ns - call.failed_ns < grace_ns) {
      ++i;
      continue;
    }
    const std::string why = fmt::format("cannot connect over tcp: {}", call.errors.empty() ? "no address in common" : call.errors);
    if (call.lane < Lane::first_extra) call.endpoint->lose(why);
    else os::log_info("rank {}: an additional socket: {}", call.endpoint->world_rank(), why);
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// A peer that had called us may have given up, and our side be open meanwhile: then we call.
void TcpPort::reap() noexcept {
  const auto ended = [](const auto& entry) { return entry->stage() == Handshake::Stage::over; };
  std::vector<int> left_alone;
  for (const auto& entry : handshakes_)
    if (ended(entry) && !entry->is_call() && entry->peer_rank() >= 0) left_alone.push_back(entry->peer_rank());
  std::erase_if(handshakes_, ended);
  for (const int rank : left_alone) {
    TcpEndpoint* endpoint = find(rank);
    if (endpoint == nullptr || endpoint->state() != Endpoint::State::opening) continue;
    if (call_of(endpoint, Lane::frames_number) == nullptr && !has_handshake(rank, Lane::frames_number)) call(*endpoint, Lane::frames_number);
  }
}

}  // namespace weft::fabric::tcp
