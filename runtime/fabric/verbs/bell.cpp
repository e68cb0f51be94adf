// epoll, eventfd and timerfd as one bell.
#include "fabric/verbs/bell.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

namespace weft::fabric::verbs {

Done Bell::open() {
  epoll_ = os::Fd(::epoll_create1(EPOLL_CLOEXEC));
  event_ = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  timer_ = os::Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!epoll_ || !event_ || !timer_) return system_failure("descriptors to sleep on", errno);
  if (Done watched = watch(event_.get()); !watched) return watched;
  return watch(timer_.get());
}

Done Bell::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return system_failure("epoll_ctl", errno);
  return Nothing{};
}

void Bell::set_alarm(std::int64_t at_ns) noexcept {
  const bool wanted = at_ns != INT64_MAX;
  if (!wanted && !alarm_set_) return;
  itimerspec when{};
  if (wanted) when.it_value = {at_ns / 1'000'000'000, at_ns % 1'000'000'000};
  (void)::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  alarm_set_ = wanted;
}

void Bell::sleep(std::int64_t timeout_ns) noexcept {
  epoll_event events[4];
  const timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  if (::epoll_pwait2(epoll_.get(), events, 4, &limit, nullptr) < 0 && errno == ENOSYS)
    (void)::epoll_wait(epoll_.get(), events, 4, static_cast<int>(timeout_ns / 1'000'000) + 1);
}

void Bell::ring() noexcept {
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

void Bell::silence() noexcept {
  std::uint64_t count = 0;
  (void)!::read(event_.get(), &count, sizeof count);
  set_alarm(INT64_MAX);
}

}  // namespace weft::fabric::verbs
