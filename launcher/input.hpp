// Standard input of one rank, read by the launcher where the rank can't inherit it: from a terminal, whose foreground group the
// ranks don't belong to, or for a rank on another host. (On one host pipes and files are simply inherited: nothing is read that
// the rank doesn't want, and nothing can be lost.) What is under way is bounded by a window that the rank's reading refills.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "launcher/event_loop.hpp"

namespace weft::launcher {

// The launcher's own standard input, on the controller's side.
class InputRelay {
 public:
  using Sink = std::function<void(std::string_view bytes)>;   // nothing: the end
  InputRelay(EventLoop& loop, Sink sink);
  ~InputRelay();
  InputRelay(const InputRelay&) = delete;
  InputRelay& operator=(const InputRelay&) = delete;

  void taken(std::size_t bytes);     // by the rank: as many more may come
  void stop();

 private:
  void read_some();
  void listen(bool on);
  void end();

  EventLoop& loop_;
  Sink sink_;
  bool terminal_, pollable_;
  bool listens_ = false, ended_ = false;
  std::size_t window_bytes_ = 64 << 10;
  EventLoop::TimerId retry_ = 0;
};

// The pipe to the rank, on the agent's side.
class RankInput {
 public:
  struct Reports {
    std::function<void(std::size_t bytes)> taken;
    std::function<void()> closed;
  };
  RankInput(EventLoop& loop, os::Fd pipe, Reports reports);
  ~RankInput();
  RankInput(const RankInput&) = delete;
  RankInput& operator=(const RankInput&) = delete;
  void write(std::string_view bytes);   // nothing: the end

 private:
  void write_held();
  void end();

  EventLoop& loop_;
  os::Fd pipe_;
  Reports reports_;
  bool last_ = false, waits_ = false;
  std::string held_;
};

}  // namespace weft::launcher
