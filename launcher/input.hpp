// A terminal's standard input for one rank. (Pipes and files are simply inherited by it: nothing is read that the rank
// doesn't want, and nothing can be lost.) Ranks have process groups of their own and must not read the terminal themselves.
#pragma once

#include <string>

#include "launcher/event_loop.hpp"

namespace weft::launcher {

class TerminalRelay {
 public:
  TerminalRelay(EventLoop& loop, os::Fd pipe);
  ~TerminalRelay();
  TerminalRelay(const TerminalRelay&) = delete;
  TerminalRelay& operator=(const TerminalRelay&) = delete;

 private:
  void read_terminal();
  void write_pipe();
  void listen(bool on);
  void end();

  EventLoop& loop_;
  os::Fd pipe_;
  bool listens_ = false, writes_ = false;
  EventLoop::TimerId retry_ = 0;
  std::string held_;
};

}  // namespace weft::launcher
