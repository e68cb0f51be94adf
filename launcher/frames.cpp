// Cutting and mending.
#include "launcher/frames.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "os/clock.hpp"

namespace weft::launcher {
namespace {

using Length = std::uint32_t;
constexpr Length longest_frame = 1u << 30;
constexpr std::size_t most_pending = 1 << 20;
constexpr int ticks_of_silence = 4;          // our own ticks: who was stopped himself doesn't blame the other

}  // namespace

FramePipe::FramePipe(EventLoop& loop, os::Fd in, os::Fd out, Events events)
    : loop_(loop), in_(std::move(in)), out_(std::move(out)), events_(std::move(events)) {
  for (const int fd : {in_.get(), out_.get()}) (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  loop_.watch(in_.get(), EPOLLIN, [this](std::uint32_t) { read_some(); });
}

FramePipe::~FramePipe() { close(); }

void FramePipe::close() noexcept {
  if (in_) loop_.forget(in_.get());
  if (waits_) loop_.forget(out_.get());
  waits_ = false;
  loop_.cancel(timer_);
  in_.reset();
  out_.reset();
}

void FramePipe::end(const std::string& why) {
  if (!in_) return;
  close();
  events_.end(why);
}

void FramePipe::write_raw(std::string_view bytes) {
  if (!out_) return;
  pending_ += bytes;
  if (!waits_) send();
}

void FramePipe::post_frame(const nlohmann::json& frame) {
  std::string bytes(sizeof(Length), '\0');
  nlohmann::json::to_msgpack(frame, bytes);
  const Length length = static_cast<Length>(bytes.size() - sizeof(Length));
  std::memcpy(bytes.data(), &length, sizeof length);
  write_raw(bytes);
}

void FramePipe::send() {
  while (sent_ < pending_.size()) {
    const ssize_t count = ::write(out_.get(), pending_.data() + sent_, pending_.size() - sent_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) {                 // the reading side tells the end, after the last words
      pending_.clear();
      sent_ = 0;
      break;
    }
    if (count < 0) break;
    sent_ += static_cast<std::size_t>(count);
  }
  if (sent_ > most_pending || sent_ == pending_.size()) {
    pending_.erase(0, sent_);
    sent_ = 0;
  }
  const bool waits = !pending_.empty();
  if (waits && !waits_) loop_.watch(out_.get(), EPOLLOUT, [this](std::uint32_t) { send(); });
  if (!waits && waits_) loop_.forget(out_.get());
  waits_ = waits;
  const bool full = pending_.size() - sent_ > (full_ ? most_pending / 2 : most_pending);
  if (full != full_ && events_.fullness) events_.fullness(full);
  full_ = full;
}

bool FramePipe::flush(int limit_ms) noexcept {
  const os::Deadline deadline = os::Deadline::in_ms(limit_ms);
  while (out_ && !pending_.empty() && !deadline.passed()) {
    pollfd ready{out_.get(), POLLOUT, 0};
    (void)::poll(&ready, 1, deadline.left_ms());
    if ((ready.revents & (POLLERR | POLLNVAL)) != 0) return false;
    send();
  }
  return pending_.empty();
}

void FramePipe::read_some() {
  char chunk[65536];
  const ssize_t count = ::read(in_.get(), chunk, sizeof chunk);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return end(count < 0 ? std::strerror(errno) : "");
  silent_ticks_ = 0;
  excused_ = false;
  received_.append(chunk, static_cast<std::size_t>(count));
  take_frames();
}

void FramePipe::take_frames() {
  if (!marker_.empty()) {
    const std::size_t found = received_.find(marker_);
    if (found == std::string::npos) {
      if (received_.size() > marker_.size()) received_.erase(0, received_.size() - marker_.size());
      return;
    }
    received_.erase(0, found + marker_.size());
    marker_.clear();
  }
  std::size_t at = 0;
  Length length = 0;
  while (in_ && received_.size() - at >= sizeof length) {
    std::memcpy(&length, received_.data() + at, sizeof length);
    if (length > longest_frame) return end("what it says makes no sense");
    if (received_.size() - at - sizeof length < length) break;
    const char* const first = received_.data() + at + sizeof length;
    at += sizeof length + length;
    if (length == 0) continue;
    try {
      events_.frame(nlohmann::json::from_msgpack(first, first + length));
    } catch (const nlohmann::json::exception& problem) {
      return end(fmt::format("what it says makes no sense ({})", problem.what()));
    }
  }
  received_.erase(0, at);
}

void FramePipe::watch_silence(double limit_s) {
  limit_s_ = limit_s;
  if (limit_s <= 0) return;
  const auto tick_ms = static_cast<std::int64_t>(std::ceil(limit_s * 1000 / ticks_of_silence));
  timer_ = loop_.after_ms(tick_ms, [this] { tick(); });
}

void FramePipe::tick() {
  pollfd ready{in_.get(), POLLIN, 0};
  if (::poll(&ready, 1, 0) == 0 && !excused_) ++silent_ticks_;
  if (silent_ticks_ > ticks_of_silence) return end(fmt::format("nothing was heard of it for {} s", limit_s_));
  if (!waits_) write_raw(std::string(sizeof(Length), '\0'));
  watch_silence(limit_s_);
}

}  // namespace weft::launcher
