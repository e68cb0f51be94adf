// Assembling and writing lines.
#include "launcher/output.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace weft::launcher {
namespace {

constexpr std::size_t piece_bytes = 4096;        // what a pipe or terminal that polls writable takes without blocking
constexpr std::size_t longest_line = 16 << 20;   // beyond it the line is passed on in parts

}  // namespace

OutputStream::OutputStream(EventLoop& loop, int fd, bool label, bool single) : loop_(loop), fd_(fd), label_(label), single_(single && !label) {
  struct stat facts {};
  pollable_ = ::fstat(fd, &facts) == 0 && !S_ISREG(facts.st_mode);
}

OutputStream::~OutputStream() {
  if (waits_) loop_.forget(fd_);
}

void OutputStream::append_labelled(int rank, std::string_view text) {
  const std::string tag = fmt::format("[{}] ", rank);
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t bytes = newline == std::string_view::npos ? text.size() : newline + 1;
    if (open_rank_ != rank) pending_ += tag;
    pending_ += text.substr(0, bytes);
    open_rank_ = newline == std::string_view::npos ? rank : -1;
    text.remove_prefix(bytes);
  }
}

void OutputStream::write(int rank, std::string_view text) {
  if (broken_ || text.empty()) return;
  if (single_) {
    pending_ += text;
  } else {
    if (open_rank_ >= 0 && open_rank_ != rank) {          // another rank's unfinished line ends here
      pending_ += '\n';
      open_rank_ = -1;
    }
    if (label_) append_labelled(rank, text);
    else {
      pending_ += text;
      open_rank_ = text.back() == '\n' ? -1 : rank;
    }
  }
  if (!waits_) send();
}

bool OutputStream::send_piece() {
  std::size_t bytes = pending_.size() - sent_;
  if (pollable_) {
    pollfd ready{fd_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) < 1) return false;
    bytes = std::min(bytes, piece_bytes);
  }
  const ssize_t count = ::write(fd_, pending_.data() + sent_, bytes);
  if (count > 0) { sent_ += static_cast<std::size_t>(count); return true; }
  if (count < 0 && errno == EINTR) return true;
  if (count < 0 && errno == EAGAIN) return false;
  const int error = errno;
  broken_ = true;                                         // EPIPE, or the disk is full
  pending_.clear();
  sent_ = 0;
  if (on_broken) on_broken(error);
  return false;
}

void OutputStream::send() {
  while (sent_ < pending_.size() && send_piece()) {}
  const bool was_waiting = waits_;
  const bool waits = sent_ < pending_.size();
  if (sent_ == pending_.size()) { pending_.clear(); sent_ = 0; }
  else if (sent_ > most_pending) { pending_.erase(0, sent_); sent_ = 0; }
  if (waits && !was_waiting) loop_.watch(fd_, EPOLLOUT, [this](std::uint32_t) { send(); });
  if (!waits && was_waiting) loop_.forget(fd_);
  waits_ = waits;
  if (was_waiting && !full() && on_room) on_room();
}

LineReader::Result LineReader::read_some(int fd) {
  char chunk[65536];
  const ssize_t count = ::read(fd, chunk, sizeof chunk);
  if (count == 0) return Result::end;
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Result::empty : Result::end;
  const std::string_view text(chunk, static_cast<std::size_t>(count));
  const std::size_t newline = text.rfind('\n');
  rested_ = false;
  held_ += text;
  if (!whole_lines_) finish();
  else if (newline != std::string_view::npos) hand_over(held_.size() - text.size() + newline + 1);
  else if (held_.size() > longest_line) finish();
  return Result::more;
}

void LineReader::hand_over(std::size_t bytes) {
  if (bytes > 0) sink_(std::string_view(held_).substr(0, bytes));
  held_.erase(0, bytes);
}

void LineReader::finish() { hand_over(held_.size()); }

}  // namespace weft::launcher
