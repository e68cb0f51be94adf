// epoll and timers.
#include "launcher/event_loop.hpp"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "os/clock.hpp"

namespace weft::launcher {

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

void EventLoop::watch(int fd, std::uint32_t events, Handler handler) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  handlers_[fd] = std::make_shared<Handler>(std::move(handler));
}

void EventLoop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::forget(int fd) {
  (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  handlers_.erase(fd);
}

EventLoop::TimerId EventLoop::after_ms(std::int64_t delay_ms, Task task) {
  const TimerId id = ++last_timer_;
  timers_.emplace(std::pair{os::now_ns() + delay_ms * 1'000'000, id}, std::move(task));
  return id;
}

void EventLoop::cancel(TimerId id) {
  for (auto timer = timers_.begin(); timer != timers_.end(); ++timer)
    if (timer->first.second == id) { timers_.erase(timer); return; }
}

int EventLoop::next_timeout_ms() const {
  if (timers_.empty()) return -1;
  const std::int64_t left_ns = timers_.begin()->first.first - os::now_ns();
  if (left_ns <= 0) return 0;
  return static_cast<int>(std::min<std::int64_t>((left_ns + 999'999) / 1'000'000, 3'600'000));
}

void EventLoop::run_timers() {
  while (!stopped_ && !timers_.empty() && timers_.begin()->first.first <= os::now_ns()) {
    const Task task = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    task();
  }
}

void EventLoop::run() {
  std::array<epoll_event, 64> events;
  while (!stopped_) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), next_timeout_ms());
    for (int i = 0; i < count && !stopped_; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const auto found = handlers_.find(event.data.fd);
      if (found == handlers_.end()) continue;               // forgotten by an earlier handler of this turn
      const std::shared_ptr<Handler> handler = found->second;   // outlives forget() by itself
      (*handler)(event.events);
    }
    run_timers();
  }
}

}  // namespace weft::launcher
