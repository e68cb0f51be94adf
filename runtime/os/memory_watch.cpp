// Events of userfaultfd(2).
//
// Why the answer is certain. The kernel counts a change in the userfaultfd before it unmaps, and takes it out of the count when
// its news have been read and the caller is let go. While it counts any, it refuses to fill pages (EAGAIN). So is_unchanged()
// asks for that, for a page that is there already: EAGAIN, a change is under way; EEXIST, none is, and the news of all that
// have been are read, and marked unless the thread is just about it (turn_); any other answer, the mapping is another one.
// Not told by Linux: shmat() with SHM_REMAP; where it replaces the first page, the last of these answers shows it.
#include "os/memory_watch.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "os/thread.hpp"

namespace weft::os {
namespace {

constexpr unsigned user_mode_only = 1;               // UFFD_USER_MODE_ONLY, which older headers don't have
constexpr std::uint64_t wanted_features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_REMAP;
constexpr std::size_t stack_bytes = std::size_t{64} << 10;
constexpr int patience = 64;                         // looks at a change that is under way, before the memory counts as changed

// The descriptors of this process. A child that kept one would keep the kernel telling changes that nobody reads.
constexpr int most_devices = 8;
std::atomic<int> devices[most_devices];              // number + 1; 0: none

bool enter(int device) noexcept {
  for (std::atomic<int>& place : devices) {
    int none = 0;
    if (place.compare_exchange_strong(none, device + 1)) return true;
  }
  return false;
}

void leave(int device) noexcept {
  for (std::atomic<int>& place : devices) {
    int number = device + 1;
    if (place.compare_exchange_strong(number, 0)) return;
  }
}

void close_in_child() noexcept {
  for (std::atomic<int>& place : devices)
    if (const int number = place.exchange(0); number != 0) (void)::close(number - 1);
}

// The next mapping's line of /proc/self/maps, read piece by piece; no heap.
class Maps {
 public:
  Maps() noexcept : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  bool next(std::uintptr_t& begin, std::uintptr_t& end) noexcept {
    while (std::memchr(text_ + at_, '\n', filled_ - at_) == nullptr)
      if (!fill()) return false;
    const char* const line_end = static_cast<const char*>(std::memchr(text_ + at_, '\n', filled_ - at_));
    const auto first = std::from_chars(text_ + at_, line_end, begin, 16);
    const auto second = std::from_chars(first.ptr + 1, line_end, end, 16);
    at_ = static_cast<std::size_t>(line_end - text_) + 1;
    return first.ec == std::errc{} && second.ec == std::errc{};
  }

 private:
  bool fill() noexcept {
    std::memmove(text_, text_ + at_, filled_ - at_);
    filled_ -= at_;
    at_ = 0;
    const ssize_t count = filled_ == sizeof text_ ? 0 : ::read(file_.get(), text_ + filled_, sizeof text_ - filled_);
    if (count <= 0) return false;
    filled_ += static_cast<std::size_t>(count);
    return true;
  }

  Fd file_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  char text_[8192];                    // a line is shorter: its path has 4096 bytes at most
};

}  // namespace

bool MemoryWatch::open() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, close_in_child);
  (void)registered;
  Fd device(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only)));
  if (!device) return false;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = wanted_features;
  if (::ioctl(device.get(), UFFDIO_API, &api) != 0) return false;
  stop_ = Fd(::eventfd(0, EFD_CLOEXEC));
  if (!stop_ || !enter(device.get())) return false;
  places_ = std::make_unique<Place[]>(static_cast<std::size_t>(most_));
  device_ = device.get();
  if (const int error = start_thread(thread_, "weft-memory", stack_bytes, run, this); error != 0) {
    leave(device_);
    device_ = -1;
    errno = error;
    return false;
  }
  process_ = ::getpid();
  (void)device.release();
  return true;
}

MemoryWatch::~MemoryWatch() {
  if (process_ != ::getpid()) return;
  const std::uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  (void)::pthread_join(thread_, nullptr);
}

// Closes the descriptor itself: from then on no change waits, and so it can't be missed by anybody who joins this thread.
void* MemoryWatch::run(void* self) noexcept {
  auto& watch = *static_cast<MemoryWatch*>(self);
  pollfd ready[2] = {{watch.device_, POLLIN, 0}, {watch.stop_.get(), POLLIN, 0}};
  while (ready[1].revents == 0) {
    if (::poll(ready, 2, -1) > 0 && ready[0].revents != 0) watch.read_news();
  }
  leave(watch.device_);
  (void)::close(watch.device_);
  return nullptr;
}

void MemoryWatch::read_news() noexcept {
  uffd_msg news[16];
  turn_.fetch_add(1);
  const ssize_t bytes = ::read(device_, news, sizeof news);
  for (ssize_t i = 0; i < bytes / static_cast<ssize_t>(sizeof news[0]); ++i) {
    const auto& argument = news[i].arg;
    if (news[i].event == UFFD_EVENT_REMAP) mark(argument.remap.from, argument.remap.from + argument.remap.len);
    else mark(argument.remove.start, argument.remove.end);       // and of an unmap, which is told the same way
  }
  turn_.fetch_add(1);
}

void MemoryWatch::mark(std::uintptr_t begin, std::uintptr_t end) noexcept {
  for (int number = 0; number < most_; ++number) {
    Place& place = places_[number];
    if (place.state != watched || place.end <= begin || place.begin >= end) continue;
    std::uint32_t expected = watched;
    if (place.state.compare_exchange_strong(expected, changed)) changes_.fetch_add(1);
  }
}

int MemoryWatch::watch(std::uintptr_t begin, std::uintptr_t end) noexcept {
  if (device_ < 0) return -1;
  for (int number = 0; number < most_; ++number) {
    Place& place = places_[number];
    if (place.state != free) continue;
    if (!register_mappings(begin, end)) return -1;
    for (int tries = 0; turn_ % 2 != 0 && tries < patience; ++tries) (void)::sched_yield();   // what is being marked was before this
    place.begin = begin;
    place.end = end;
    place.state = watched;
    return number;
  }
  return -1;
}

// Whole mappings, not the pages alone: that would cut them, and the program's mremap() of a mapping that has been cut fails.
bool MemoryWatch::register_mappings(std::uintptr_t begin, std::uintptr_t end) const noexcept {
  Maps maps;
  std::uintptr_t reached = begin;
  for (std::uintptr_t from = 0, to = 0; reached < end && maps.next(from, to);) {
    if (to <= reached) continue;
    if (from > reached) return false;
    uffdio_register range{};
    range.range = {from, to - from};
    range.mode = UFFDIO_REGISTER_MODE_WP;
    if (::ioctl(device_, UFFDIO_REGISTER, &range) != 0) return false;
    reached = to;
  }
  return reached >= end;
}

bool MemoryWatch::is_unchanged(int number) noexcept {
  Place& place = places_[number];
  for (int tries = 0; tries < patience; ++tries) {
    if (tries != 0) (void)::sched_yield();
    const std::uint32_t turn = turn_;
    if (place.state != watched) return false;
    uffdio_zeropage fill{};
    fill.range = {place.begin, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))};
    const int error = ::ioctl(device_, UFFDIO_ZEROPAGE, &fill) == 0 ? 0 : errno;
    if (error == EAGAIN) continue;
    if (error != EEXIST) break;
    if (turn % 2 == 0 && turn_ == turn) return place.state == watched;
  }
  place.state = changed;
  changes_.fetch_add(1);
  return false;
}

}  // namespace weft::os
