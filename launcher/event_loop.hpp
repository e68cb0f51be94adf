// The launcher's one loop: file descriptors (epoll) and timers. Everything runs on the main thread; handlers may add and
// remove descriptors and timers, also their own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "os/fd.hpp"

namespace weft::launcher {

class EventLoop {
 public:
  using Handler = std::function<void(std::uint32_t events)>;
  using Task = std::function<void()>;
  using TimerId = std::uint64_t;

  EventLoop();
  void watch(int fd, std::uint32_t events, Handler handler);   // throws std::system_error
  void change(int fd, std::uint32_t events);
  void forget(int fd);
  TimerId after_ms(std::int64_t delay_ms, Task task);
  void cancel(TimerId id);

  void run();                     // until stop()
  void stop() { stopped_ = true; }

 private:
  int next_timeout_ms() const;
  void run_timers();

  os::Fd epoll_;
  std::unordered_map<int, std::shared_ptr<Handler>> handlers_;
  std::map<std::pair<std::int64_t, TimerId>, Task> timers_;   // by time, then by age
  TimerId last_timer_ = 0;
  bool stopped_ = false;
};

}  // namespace weft::launcher
