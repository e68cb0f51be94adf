// Opening the tcp port, its memory, its progress, sleeping.
#include "fabric/tcp/port.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "fabric/tcp/interfaces.hpp"
#include "os/log.hpp"
#include "os/options.hpp"
#include "os/topology.hpp"

namespace weft::fabric::tcp {
namespace {

constexpr std::size_t scratch_bytes = 16384;
constexpr std::size_t line_bytes = 64;
constexpr std::size_t most_hot = 8;                    // sockets of a kind that are asked directly
constexpr std::uint32_t warm_turns = 2000;             // after which a silent one is left to epoll
constexpr std::uint32_t turns_a_look = 8;              // at epoll, while any are hot
constexpr std::uint32_t turns_a_lonely_look = 32;      // while there is nobody to hear from: a call more a turn is what other fabrics would pay
constexpr std::uint32_t looks_a_clock = 256;
constexpr std::int64_t clock_period_ns = 1'000'000'000;

Caps tcp_caps() {
  Caps caps;
  caps.operations = op_write | op_write_immediate | op_read | op_fetch_add | op_compare_swap | op_send | op_stream;
  caps.max_inline_bytes = Outgoing::inline_bytes;
  caps.in_order_placement = true;      // a socket's bytes come in order, and are placed so
  caps.atomic_scope = AtomicScope::memory;
  caps.wait_handle = true;
  caps.served_by_target = true;
  caps.latency_ns = 16'500;           // over a switch; half within a host
  caps.bytes_per_ns = 2;
  caps.post_ns = 1'500;
  return caps;
}

// "4000-4100"; empty: any.
bool parse_ports(std::string_view text, std::uint16_t& first, std::uint16_t& last) {
  if (text.empty()) return true;
  const std::size_t dash = text.find('-');
  const auto number = [](std::string_view part, std::uint16_t& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc{} && end == part.data() + part.size() && value != 0;
  };
  if (!number(text.substr(0, dash), first)) return false;
  last = first;
  return dash == std::string_view::npos || (number(text.substr(dash + 1), last) && last >= first);
}

// Two sockets a peer: where the usual limit is too low for all of them it is raised as far as we may.
void allow_descriptors(int peers) {
  rlimit limit{};
  const rlim_t need = static_cast<rlim_t>(peers) * 2 + 256;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need) return;
  limit.rlim_cur = std::min(need, limit.rlim_max);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Expected<std::unique_ptr<Port>> TcpPort::open(const Circumstances& circumstances) {
  std::unique_ptr<TcpPort> port(new TcpPort);
  if (const Done prepared = port->prepare(circumstances); !prepared) return prepared.failure();
  return std::unique_ptr<Port>(std::move(port));
}

Done TcpPort::prepare(const Circumstances& circumstances) {
  caps_ = tcp_caps();
  world_rank_ = circumstances.world_rank;
  world_size_ = circumstances.world_size;
  crowded_ = os::outnumber_cores(circumstances.local_peers.size());
  settings_.connect_timeout_s = std::max<std::int64_t>(1, os::option_number("tcp-connect-timeout"));
  settings_.timeout_s = os::option_number("tcp-timeout");
  settings_.buffer_bytes = os::option_number("tcp-buffer");
  settings_.sockets = static_cast<std::uint32_t>(std::clamp<std::int64_t>(os::option_number("tcp-sockets"), 1, Lane::most - Lane::first_extra));
  const std::string& list = os::option_text("tcp-interfaces");
  settings_.restricted = !list.empty();
  Expected<std::vector<os::InterfaceAddress>> present = os::interface_addresses();
  if (!present) return present.failure();
  Expected<std::vector<os::InterfaceAddress>> chosen = chosen_addresses(*present, list);
  if (!chosen) return chosen.failure();
  card_.addresses = std::move(*chosen);
  card_.network = network_identity();
  if (!os::fill_random(&card_.id, sizeof card_.id) || !os::fill_random(&card_.key, sizeof card_.key)) return system_failure("getrandom", errno);
  std::uint16_t first = 0, last = 0;
  if (!parse_ports(os::option_text("tcp-ports"), first, last))
    return Failure{Status::bad_argument, fmt::format("WEFT_TCP_PORTS={}: a port or a range such as 4000-4100 is needed", os::option_text("tcp-ports"))};
  Expected<os::Fd> listener = os::listen_anywhere(first, last);
  if (!listener) return listener.failure();
  listener_ = std::move(*listener);
  card_.port = os::listening_port(listener_);
  epoll_ = os::Fd(::epoll_create1(EPOLL_CLOEXEC));
  event_ = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  timer_ = os::Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!epoll_ || !event_ || !timer_) return system_failure("epoll, eventfd or timerfd", errno);
  add(listener_, listening_, EPOLLIN);
  add(event_, ringing_, EPOLLIN);
  add(timer_, ticking_, EPOLLIN);
  scratch_.resize(scratch_bytes);
  hot_.reserve(most_hot);
  allow_descriptors(world_size_ - 1);
  return Nothing{};
}

TcpPort::~TcpPort() {
  for (auto& [rank, endpoint] : endpoints_) endpoint->say_goodbye();
  for (auto& handshake : handshakes_) handshake->end();
}

bool TcpPort::reaches(std::string_view peer_card) const noexcept {
  Card theirs;
  return parse(peer_card, theirs) && can_reach(card_, theirs);
}

Expected<Region> TcpPort::allocate(std::size_t bytes) {
  const std::size_t whole = std::max(line_bytes, (bytes + line_bytes - 1) & ~(line_bytes - 1));
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(line_bytes, whole));
  if (memory == nullptr) return Failure{Status::no_memory, fmt::format("no {} bytes for the tcp fabric", whole)};
  std::memset(memory, 0, whole);
  Owned owned(memory);
  Region region;
  if (const Status status = expose(memory, bytes, region); status != Status::ok) return Failure{status, "the tcp fabric holds no more regions"};
  owned_.emplace(memory, std::move(owned));
  return region;
}

void TcpPort::free(const Region& region) noexcept {
  regions_.remove(region.remote.key);
  owned_.erase(region.address);
}

Status TcpPort::expose(void* address, std::size_t bytes, Region& region) noexcept {
  auto* at = static_cast<std::byte*>(address);
  const std::uint32_t key = regions_.add(at, bytes);
  if (key == Regions::no_key) return Status::no_space;
  region = {at, bytes, 0, {reinterpret_cast<std::uintptr_t>(address), key}};
  return Status::ok;
}

void TcpPort::add(const os::Fd& socket, Watched& as, std::uint32_t events) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &as;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket.get(), &event) != 0) os::log_error("epoll: {}", ::strerror(errno));
}

void TcpPort::watch(Lane& lane) noexcept { add(lane.socket, lane, EPOLLIN); }

void TcpPort::watch_input(const os::Fd& socket, Watched& as) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &as;
  (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket.get(), &event);
}

// Said aloud, since a child of fork(2) that still holds the socket would keep it in our epoll.
void TcpPort::unwatch(const os::Fd& socket) noexcept { (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket.get(), nullptr); }

void TcpPort::retire(Lane& lane) noexcept {
  if (!lane.socket) return;
  unwatch(lane.socket);
  lane.socket.reset();
  std::erase(blocked_, &lane);
  if (lane.kind == Watched::Kind::frames) std::erase(hot_, static_cast<FrameLane*>(&lane));
  else if (lane.warmth != 0) --hot_streams_;
  lane.warmth = 0;
  lane.blocked = false;
}

void TcpPort::add_blocked(Lane& lane) {
  lane.blocked = true;
  blocked_.push_back(&lane);
}

void TcpPort::add_unsettled(TcpEndpoint& endpoint) {
  if (std::find(unsettled_.begin(), unsettled_.end(), &endpoint) == unsettled_.end()) unsettled_.push_back(&endpoint);
}

void TcpPort::warm(FrameLane& lane) noexcept {
  if (lane.warmth == 0) {
    if (hot_.size() == most_hot) return;
    hot_.push_back(&lane);
  }
  lane.warmth = warm_turns;
}

void TcpPort::warm(StreamLane& lane) noexcept {
  if (lane.warmth == 0) {
    if (hot_streams_ == most_hot) return;
    ++hot_streams_;
  }
  lane.warmth = warm_turns;
}

void TcpPort::cool(StreamLane& lane) noexcept {
  if (lane.warmth != 0 && --lane.warmth == 0) --hot_streams_;
}

bool TcpPort::poll() noexcept {
  bool moved = false;
  for (std::size_t i = 0; i < hot_.size();) {
    FrameLane& lane = *hot_[i];
    if (lane.receive()) {
      lane.warmth = warm_turns;
      moved = true;
    } else if (--lane.warmth == 0) {
      hot_[i] = hot_.back();
      hot_.pop_back();
      continue;
    }
    ++i;
  }
  if (!blocked_.empty()) moved |= flush_blocked();
  if (--turns_to_look_ == 0) moved |= look();
  if (!unsettled_.empty()) [[unlikely]] {
    settle();
    moved = true;
  }
  return moved;
}

bool TcpPort::look() noexcept {
  epoll_event events[32];
  const int count = ::epoll_wait(epoll_.get(), events, 32, 0);
  bool moved = false;
  for (int i = 0; i < count; ++i) moved |= handle(*static_cast<Watched*>(events[i].data.ptr), events[i].events);
  if (!handshakes_.empty()) reap();        // only now: an event further on may have named one that an earlier event ended
  if (++looks_ % looks_a_clock == 0) look_at_clock();
  if (endpoints_.empty() && handshakes_.empty()) turns_to_look_ = turns_a_lonely_look;
  else turns_to_look_ = hot_.size() + hot_streams_ == 0 ? 1 : turns_a_look;
  return moved;
}

bool TcpPort::handle(Watched& watched, std::uint32_t events) noexcept {
  std::uint64_t count;
  switch (watched.kind) {
    case Watched::Kind::listener: accept_callers(); return true;
    case Watched::Kind::bell: (void)!::read(event_.get(), &count, sizeof count); return false;
    case Watched::Kind::timer:
      (void)!::read(timer_.get(), &count, sizeof count);
      tick();
      return false;
    case Watched::Kind::handshake: static_cast<Handshake&>(watched).step(); return true;
    case Watched::Kind::frames:
    case Watched::Kind::stream: return handle_lane(static_cast<Lane&>(watched), events);
  }
  return false;
}

bool TcpPort::handle_lane(Lane& lane, std::uint32_t events) noexcept {
  bool moved = false;
  if ((events & EPOLLOUT) != 0) {
    watch_input(lane.socket, lane);
    lane.armed = false;
    moved = true;
    if (lane.kind == Watched::Kind::stream) {      // the link asks again by itself
      lane.blocked = false;
      std::erase(blocked_, &lane);
    }
  }
  if ((events & ~EPOLLOUT) == 0) return moved;
  if (lane.kind == Watched::Kind::frames) {
    auto& frames = static_cast<FrameLane&>(lane);
    if (frames.warmth != 0) return moved;          // looked at already
    if (!frames.receive()) return moved;
    warm(frames);
    return true;
  }
  auto& stream = static_cast<StreamLane&>(lane);
  moved |= stream.warmth == 0 && !stream.readable;
  stream.readable = true;
  return moved;
}

bool TcpPort::flush_blocked() noexcept {
  bool moved = false;
  for (std::size_t i = 0; i < blocked_.size();) {
    Lane& lane = *blocked_[i];
    if (lane.kind == Watched::Kind::frames) {
      auto& frames = static_cast<FrameLane&>(lane);
      moved |= frames.flush();
      if (!frames.has_queue()) {
        lane.blocked = false;
        blocked_[i] = blocked_.back();
        blocked_.pop_back();
        continue;
      }
    }
    ++i;
  }
  return moved;
}

void TcpPort::settle() noexcept {
  std::vector<TcpEndpoint*> now;
  now.swap(unsettled_);
  for (TcpEndpoint* endpoint : now) endpoint->settle();
}

void TcpPort::look_at_clock() noexcept {
  const std::int64_t now_ns = os::now_ns();
  if (now_ns - clock_looked_ns_ < clock_period_ns) return;
  clock_looked_ns_ = now_ns;
  for (auto& [rank, endpoint] : endpoints_) endpoint->look_for_silence(now_ns);
}

// Arrivals ring by themselves; only those that wait to send must be told to epoll.
void TcpPort::prepare_sleep() noexcept {
  turns_to_look_ = 1;
  looks_ = looks_a_clock - 1;
  for (Lane* lane : blocked_) {
    if (lane->armed) continue;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT;
    event.data.ptr = static_cast<Watched*>(lane);
    lane->armed = ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, lane->socket.get(), &event) == 0;
  }
}

void TcpPort::sleep(std::int64_t timeout_ns) noexcept {
  epoll_event event;
  const timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  if (::epoll_pwait2(epoll_.get(), &event, 1, &limit, nullptr) < 0 && errno == ENOSYS)
    (void)::epoll_wait(epoll_.get(), &event, 1, static_cast<int>(timeout_ns / 1'000'000) + 1);
}

void TcpPort::wake_self() noexcept {
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

}  // namespace weft::fabric::tcp
