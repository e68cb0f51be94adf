// Reading when there is room, writing when the rank reads.
#include "launcher/input.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace weft::launcher {

InputRelay::InputRelay(EventLoop& loop, Sink sink) : loop_(loop), sink_(std::move(sink)), terminal_(::isatty(STDIN_FILENO) != 0) {
  struct stat facts {};
  pollable_ = ::fstat(STDIN_FILENO, &facts) == 0 && !S_ISREG(facts.st_mode) && !(S_ISCHR(facts.st_mode) && !terminal_);
  listen(true);
}

InputRelay::~InputRelay() { stop(); }

// Files and the like of /dev/null are always readable, and nothing for epoll.
void InputRelay::listen(bool on) {
  if (on == listens_ || (on && ended_)) return;
  listens_ = on;
  if (!pollable_ && on) retry_ = loop_.after_ms(0, [this] { listens_ = false; read_some(); });
  else if (!pollable_) loop_.cancel(retry_);
  else if (on) loop_.watch(STDIN_FILENO, EPOLLIN, [this](std::uint32_t) { read_some(); });
  else loop_.forget(STDIN_FILENO);
}

void InputRelay::stop() {
  listen(false);
  loop_.cancel(retry_);
  ended_ = true;
}

void InputRelay::end() {
  if (!ended_) sink_({});
  stop();
}

void InputRelay::read_some() {
  if (terminal_ && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) {   // in the background: reading would stop us; look again later
    listen(false);
    retry_ = loop_.after_ms(300, [this] { listen(true); });
    return;
  }
  char chunk[16384];
  const ssize_t count = ::read(STDIN_FILENO, chunk, std::min(sizeof chunk, window_bytes_));
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return listen(true);
  if (count <= 0) return end();
  window_bytes_ -= static_cast<std::size_t>(count);
  sink_(std::string_view(chunk, static_cast<std::size_t>(count)));
  listen(window_bytes_ > 0);
}

void InputRelay::taken(std::size_t bytes) {
  window_bytes_ += bytes;
  listen(true);
}

RankInput::RankInput(EventLoop& loop, os::Fd pipe, Reports reports) : loop_(loop), pipe_(std::move(pipe)), reports_(std::move(reports)) {
  (void)::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
}

RankInput::~RankInput() { end(); }

void RankInput::end() {
  if (waits_) loop_.forget(pipe_.get());
  waits_ = false;
  pipe_.reset();
}

void RankInput::write(std::string_view bytes) {
  if (!pipe_) return;
  held_ += bytes;
  last_ = bytes.empty();
  if (!waits_) write_held();
}

void RankInput::write_held() {
  const ssize_t count = held_.empty() ? 0 : ::write(pipe_.get(), held_.data(), held_.size());
  if (count < 0 && errno != EAGAIN) {                   // the rank closed its end
    end();
    return reports_.closed();
  }
  if (count > 0) {
    held_.erase(0, static_cast<std::size_t>(count));
    reports_.taken(static_cast<std::size_t>(count));
  }
  if (held_.empty() && last_) return end();
  const bool waits = !held_.empty();
  if (waits && !waits_) loop_.watch(pipe_.get(), EPOLLOUT, [this](std::uint32_t) { write_held(); });
  if (!waits && waits_) loop_.forget(pipe_.get());
  waits_ = waits;
}

}  // namespace weft::launcher
