// Lines of the ranks on the launcher's stdout or stderr: whole, each from one rank, with the rank's tag at its start when
// asked. Never blocks the loop: what the terminal or pipe can't take waits here, and the ranks' pipes are not read
// meanwhile. Main thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/event_loop.hpp"

namespace weft::launcher {

// Where lines end up: one of our own streams.
class OutputStream {
 public:
  OutputStream(EventLoop& loop, int fd, bool label, bool single);
  ~OutputStream();
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  // Whole lines of one rank, or (unterminated) the rest of what it said. With one rank and no tag bytes pass as they are.
  void write(int rank, std::string_view text);
  bool full() const noexcept { return pending_.size() - sent_ > most_pending; }
  bool idle() const noexcept { return pending_.empty(); }
  bool broken() const noexcept { return broken_; }
  std::function<void()> on_room;
  std::function<void(int error)> on_broken;

 private:
  static constexpr std::size_t most_pending = 1 << 20;
  void append_labelled(int rank, std::string_view text);
  void send();
  bool send_piece();

  EventLoop& loop_;
  int fd_;
  bool label_, single_;
  bool waits_ = false, broken_ = false, pollable_ = true;
  int open_rank_ = -1;                                    // whose unterminated piece came last
  std::string pending_;
  std::size_t sent_ = 0;
};

// One pipe from a rank, cut into lines (or passed through as it comes).
class LineReader {
 public:
  enum class Result { more, empty, end };
  using Sink = std::function<void(std::string_view)>;   // whole lines, or an unterminated rest
  LineReader(bool whole_lines, Sink sink) : whole_lines_(whole_lines), sink_(std::move(sink)) {}
  Result read_some(int fd);
  void finish();                                          // hand over the unterminated rest
  bool holds() const noexcept { return !held_.empty(); }
  bool rested() noexcept { return std::exchange(rested_, true); }   // nothing was read since it was last asked

 private:
  void hand_over(std::size_t bytes);
  bool whole_lines_;
  bool rested_ = false;
  Sink sink_;
  std::string held_;
};

}  // namespace weft::launcher
