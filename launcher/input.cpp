// Terminal to pipe, with backpressure: while the pipe is full the terminal is not read.
#include "launcher/input.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>

namespace weft::launcher {

TerminalRelay::TerminalRelay(EventLoop& loop, os::Fd pipe) : loop_(loop), pipe_(std::move(pipe)) {
  (void)::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  listen(true);
}

TerminalRelay::~TerminalRelay() { end(); }

void TerminalRelay::listen(bool on) {
  if (on && !listens_) loop_.watch(STDIN_FILENO, EPOLLIN, [this](std::uint32_t) { read_terminal(); });
  if (!on && listens_) loop_.forget(STDIN_FILENO);
  listens_ = on;
}

void TerminalRelay::end() {
  listen(false);
  if (writes_) loop_.forget(pipe_.get());
  writes_ = false;
  loop_.cancel(retry_);
  pipe_.reset();
}

void TerminalRelay::read_terminal() {
  if (::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) {       // in the background: reading would stop us; look again later
    listen(false);
    retry_ = loop_.after_ms(300, [this] { listen(true); });
    return;
  }
  char chunk[4096];
  const ssize_t count = ::read(STDIN_FILENO, chunk, sizeof chunk);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) return end();
  held_.assign(chunk, static_cast<std::size_t>(count));
  listen(false);
  write_pipe();
}

void TerminalRelay::write_pipe() {
  const ssize_t count = ::write(pipe_.get(), held_.data(), held_.size());
  if (count < 0 && errno != EAGAIN) return end();       // the rank closed its end
  if (count > 0) held_.erase(0, static_cast<std::size_t>(count));
  const bool more = !held_.empty();
  if (more && !writes_) loop_.watch(pipe_.get(), EPOLLOUT, [this](std::uint32_t) { write_pipe(); });
  if (!more && writes_) loop_.forget(pipe_.get());
  writes_ = more;
  if (!more) listen(true);
}

}  // namespace weft::launcher
