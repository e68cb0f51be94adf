// Sleeping on several ports.
#include "match/bells.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "os/log.hpp"

namespace weft::match {
namespace {

constexpr std::int64_t blind_sleep_ns = 1'000'000;     // where a port can't ring

}  // namespace

void Bells::open(std::span<fabric::Port* const> ports) {
  if (ports.size() <= 2) {
    ports_ = {ports.back()};
    return;
  }
  ports_.assign(ports.begin() + 1, ports.end());
  epoll_ = os::Fd(::epoll_create1(EPOLL_CLOEXEC));
  event_ = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const auto watch = [this](int fd, bool once) {
    epoll_event event{};
    event.events = once ? EPOLLIN | EPOLLET : EPOLLIN;
    event.data.fd = fd;
    if (fd >= 0 && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) os::log_error("epoll: {}", std::strerror(errno));
  };
  watch(event_.get(), true);
  for (fabric::Port* port : ports_) watch(port->wait_fd(), false);
}

void Bells::sleep(std::int64_t timeout_ns) noexcept {
  if (!epoll_) {
    ports_.front()->sleep(timeout_ns);
    return cancel();
  }
  for (fabric::Port* port : ports_)
    if (port->wait_fd() < 0) timeout_ns = std::min(timeout_ns, blind_sleep_ns);
  epoll_event events[8];
  const timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  if (::epoll_pwait2(epoll_.get(), events, 8, &limit, nullptr) < 0 && errno == ENOSYS)
    (void)::epoll_wait(epoll_.get(), events, 8, static_cast<int>(timeout_ns / 1'000'000) + 1);
  cancel();
}

void Bells::wake() noexcept {
  if (!epoll_) return ports_.front()->wake_self();
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

}  // namespace weft::match
