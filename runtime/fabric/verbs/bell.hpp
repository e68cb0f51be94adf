// What a verbs port sleeps on, as one descriptor: completions, connection events, other threads of this process, and the
// time at which something must be sent again. Threads: one at a time, except ring(), which any thread may call.
#pragma once

#include "os/expected.hpp"
#include "os/fd.hpp"

#include <cstdint>

namespace weft::fabric::verbs {

class Bell {
 public:
  Done open();
  Done watch(int fd);
  int fd() const noexcept { return epoll_.get(); }

  void set_alarm(std::int64_t at_ns) noexcept;           // INT64_MAX: none
  void sleep(std::int64_t timeout_ns) noexcept;
  void ring() noexcept;
  void silence() noexcept;                               // forgets rings and the alarm

 private:
  os::Fd epoll_;
  os::Fd event_;
  os::Fd timer_;
  bool alarm_set_ = false;
};

}  // namespace weft::fabric::verbs
