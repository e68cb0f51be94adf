// Our side of an endpoint: posts, streams, lanes coming and going. What the peer asks for is in serve.cpp.
#include "fabric/tcp/endpoint.hpp"

#include <poll.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "fabric/tcp/port.hpp"

namespace weft::fabric::tcp {
namespace {

constexpr std::size_t gather_bytes = 512;
constexpr std::uint64_t wide_read_bytes = 256 * 1024;   // reads from here on are worth more sockets
constexpr int goodbye_ms = 200;

// All pieces as one where that is short: one copy is cheaper than telling the kernel of several.
os::Moved send_stream(int socket, const iovec* pieces, int count, std::size_t total) noexcept {
  if (count == 1) return os::send_now(socket, pieces[0].iov_base, total);
  if (total > gather_bytes) return os::send_pieces_now(socket, pieces, count);
  std::byte whole[gather_bytes];
  std::byte* at = whole;
  for (int i = 0; i < count; ++i) {
    if (pieces[i].iov_len != 0) std::memcpy(at, pieces[i].iov_base, pieces[i].iov_len);
    at += pieces[i].iov_len;
  }
  return os::send_now(socket, whole, total);
}

}  // namespace

template <class Do>
void TcpEndpoint::for_each_lane(Do&& what) noexcept {
  if (frames_) what(*frames_);
  if (stream_) what(*stream_);
  for (const auto& lane : extra_) what(*lane);
}

TcpEndpoint::~TcpEndpoint() {
  if (frames_) frames_->drop_queue();
  for (const auto& lane : extra_) lane->drop_queue();
}

void TcpEndpoint::establish(std::uint32_t number, os::Fd socket, const Opening& theirs, bool we_called) {
  os::tune(socket, port_.settings().timeout_s, port_.settings().buffer_bytes);
  wanted_ &= ~(1u << number);
  lanes_ |= 1u << number;
  if (number == Lane::stream_number) {
    stream_ = std::make_unique<StreamLane>(Watched::Kind::stream, std::move(socket), *this);
    return port_.watch(*stream_);
  }
  auto lane = std::make_unique<FrameLane>(std::move(socket), *this);
  port_.watch(*lane);
  if (number != Lane::frames_number) {
    extra_.push_back(std::move(lane));
    return;
  }
  address_.proven = os::address_of(os::remote_address(lane->socket));
  frames_ = std::move(lane);
  we_called_ = we_called;
  peer_opening_ = theirs;
  addresses_ = {};
  state_ = State::open;
}

// Always the side that made lane 0 connects: the other way may be closed.
void TcpEndpoint::want_lane(std::uint32_t number) noexcept {
  if (state_ != State::open || left_ || has_lane(number) || (wanted_ & 1u << number) != 0) return;
  wanted_ |= 1u << number;
  if (we_called_) return port_.call(*this, number);
  Frame frame;
  frame.type = FrameType::ask_lane;
  frame.token = static_cast<std::uint16_t>(number);
  if (frames_->post(frame, nullptr, nullptr) == Outcome::again) wanted_ &= ~(1u << number);
}

Outcome TcpEndpoint::post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation* operation) noexcept {
  if (state_ != State::open) return state_ == State::opening ? Outcome::again : Outcome::failed;
  if (left_) return Outcome::done;
  Frame frame;
  frame.type = FrameType::write;
  frame.notify = notify;
  frame.key = to.key;
  frame.address = to.address;
  frame.bytes = bytes;
  return frames_->post(frame, from.address, operation);
}

TcpEndpoint::Asked* TcpEndpoint::free_asked(std::uint16_t& token) noexcept {
  if (!asked_) asked_.reset(new Asked[most_asked]);
  if (asked_count_ == most_asked) return nullptr;
  while (asked_[asked_next_].operation != nullptr) asked_next_ = static_cast<std::uint16_t>((asked_next_ + 1) % most_asked);
  token = asked_next_;
  return &asked_[token];
}

Outcome TcpEndpoint::post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept {
  if (state_ != State::open) return state_ == State::opening ? Outcome::again : Outcome::failed;
  Frame frame;
  Asked* asked = free_asked(frame.token);
  if (asked == nullptr) return Outcome::again;
  frame.type = FrameType::read;
  frame.key = from.key;
  frame.address = from.address;
  frame.bytes = bytes;
  if (bytes >= wide_read_bytes)
    for (std::uint32_t extra = 1; extra < port_.settings().sockets; ++extra) want_lane(Lane::first_extra + extra - 1);
  if (frames_->post(frame, nullptr, nullptr) == Outcome::again) return Outcome::again;
  *asked = {&operation, nullptr, to.address, bytes, bytes};
  ++asked_count_;
  port_.warm(*frames_);
  return Outcome::posted;
}

Outcome TcpEndpoint::post_atomic(Frame frame, AtomicOperation& operation) noexcept {
  if (state_ != State::open) return state_ == State::opening ? Outcome::again : Outcome::failed;
  Asked* asked = free_asked(frame.token);
  if (asked == nullptr || frames_->post(frame, nullptr, nullptr) == Outcome::again) return Outcome::again;
  *asked = {&operation, &operation, nullptr, 0, 0};
  ++asked_count_;
  port_.warm(*frames_);
  return Outcome::posted;
}

Outcome TcpEndpoint::post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept {
  Frame frame;
  frame.type = FrameType::fetch_add;
  frame.key = at.key;
  frame.address = at.address;
  frame.first = add;
  return post_atomic(frame, operation);
}

Outcome TcpEndpoint::post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept {
  Frame frame;
  frame.type = FrameType::compare_swap;
  frame.key = at.key;
  frame.address = at.address;
  frame.first = expected;
  frame.second = desired;
  return post_atomic(frame, operation);
}

Outcome TcpEndpoint::post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept {
  if (state_ == State::lost || head_bytes + payload_bytes > MessageBlock::largest_message) return Outcome::failed;
  if (state_ == State::opening) return Outcome::again;
  if (left_) return Outcome::done;
  Frame frame;
  frame.type = FrameType::message;
  frame.bytes = head_bytes + payload_bytes;
  const iovec pieces[] = {{const_cast<void*>(head), head_bytes}, {const_cast<void*>(payload), payload_bytes}};
  return frames_->post_copied(frame, pieces, 2);
}

std::size_t TcpEndpoint::post_stream(const iovec* pieces, int count) noexcept {
  std::size_t total = 0;
  for (int i = 0; i < count; ++i) total += pieces[i].iov_len;
  if (left_) return total;
  if (!stream_) [[unlikely]] {
    want_lane(Lane::stream_number);
    return 0;
  }
  if (stream_->ended != 0 || total == 0) return 0;
  const os::Moved gone = send_stream(stream_->socket.get(), pieces, count, total);
  if (gone < 0) [[unlikely]] {
    lane_ended(*stream_, static_cast<int>(-gone));
    return 0;
  }
  if (static_cast<std::size_t>(gone) != total && !stream_->blocked) port_.add_blocked(*stream_);
  return static_cast<std::size_t>(gone);
}

std::size_t TcpEndpoint::poll_stream(void* into, std::size_t bytes) noexcept {
  StreamLane* lane = stream_.get();
  if (lane == nullptr || lane->ended != 0 || (lane->warmth == 0 && !lane->readable)) return 0;
  if (lane->dry) {
    lane->dry = false;
    return 0;
  }
  const os::Moved came = os::receive_now(lane->socket.get(), into, bytes);
  if (came == 0) {
    lane->readable = false;
    port_.cool(*lane);
    return 0;
  }
  if (came < 0) [[unlikely]] {
    lane_ended(*lane, static_cast<int>(-came));
    return 0;
  }
  port_.warm(*lane);
  lane->dry = static_cast<std::size_t>(came) < bytes;
  return static_cast<std::size_t>(came);
}

void TcpEndpoint::wake() noexcept {
  if (state_ != State::open || left_) return;
  Frame frame;
  frame.type = FrameType::wake;
  (void)frames_->post(frame, nullptr, nullptr);
}

void TcpEndpoint::lane_ended(Lane& lane, int error) noexcept {
  if (lane.ended != 0) return;
  lane.ended = error;
  port_.add_unsettled(*this);
}

void TcpEndpoint::lose(std::string why) noexcept {
  if (state_ == State::lost) return;
  state_ = State::lost;
  why_ = std::move(why);
  loss_ = why_.c_str();
  port_.add_unsettled(*this);
}

std::string TcpEndpoint::ending_of(const Lane& lane) const {
  const std::string where = os::text_of(address_.proven);
  if (lane.ended == ESHUTDOWN) return fmt::format("the tcp connection with {} ended without a goodbye", where);
  return fmt::format("the tcp connection with {}: {}", where, ::strerror(lane.ended));
}

// Lane 0 knows whether the peer has left in good order; another lane's plain end means nothing until it tells.
void TcpEndpoint::settle() noexcept {
  while (state_ == State::open && frames_->ended == 0 && !left_ && frames_->receive()) {}
  if (state_ == State::open && !left_ && frames_->ended != 0) lose(ending_of(*frames_));
  for_each_lane([this](Lane& lane) {
    if (lane.ended == 0 || !lane.socket || state_ != State::open) return;
    if (left_ || lane.ended == ESHUTDOWN) port_.retire(lane);
    else lose(ending_of(lane));
  });
  if (state_ == State::open && left_ && asked_count_ != 0) lose("the peer left with what we asked of it undone");
  if (state_ == State::lost) bury();
}

void TcpEndpoint::bury() noexcept {
  for_each_lane([this](Lane& lane) {
    if (lane.ended == 0) lane.ended = ESHUTDOWN;
    port_.retire(lane);
  });
  if (frames_) frames_->drop_queue();
  for (const auto& lane : extra_) lane->drop_queue();
  for (std::uint16_t token = 0; asked_count_ != 0 && token < most_asked; ++token) {
    Asked& asked = asked_[token];
    if (asked.operation == nullptr) continue;
    asked.operation->status = Status::peer_lost;
    asked.operation->done = true;
    asked = {};
    --asked_count_;
  }
}

// What has come and nobody wants is read, for to close over it would reset the connection, and with it the goodbye.
void TcpEndpoint::say_goodbye() noexcept {
  if (state_ != State::open) return;
  Frame frame;
  frame.type = FrameType::goodbye;
  frames_->answer(frame, nullptr);
  const os::Deadline deadline = os::Deadline::in_ms(goodbye_ms);
  while (frames_->has_queue() && frames_->ended == 0 && !deadline.passed()) {
    pollfd entry{frames_->socket.get(), POLLOUT, 0};
    (void)::poll(&entry, 1, deadline.left_ms());
    (void)frames_->flush();
  }
  for_each_lane([this](Lane& lane) {
    if (!lane.socket) return;
    (void)::shutdown(lane.socket.get(), SHUT_WR);
    while (os::receive_now(lane.socket.get(), port_.scratch().data(), port_.scratch().size()) > 0) {}
  });
}

// Sent and not acknowledged, and nothing else heard either, for longer than the option allows: the host is gone. A peer that
// computes is not silent, its kernel answers.
void TcpEndpoint::look_for_silence(std::int64_t now_ns) noexcept {
  const std::int64_t limit_ms = port_.settings().timeout_s * 1000;
  for_each_lane([&](Lane& lane) {
    if (state_ != State::open || lane.ended != 0) return;
    const std::int64_t silent_ms = os::unanswered_ms(lane.socket);
    if (silent_ms == 0) lane.unanswered_since_ns = 0;
    else if (lane.unanswered_since_ns == 0) lane.unanswered_since_ns = now_ns;
    else if (silent_ms >= limit_ms && now_ns - lane.unanswered_since_ns >= limit_ms * 1'000'000)
      lose(fmt::format("no answer from {} for {} s (WEFT_TCP_TIMEOUT)", os::text_of(address_.proven), port_.settings().timeout_s));
  });
}

}  // namespace weft::fabric::tcp
