// The queue.
#include "launcher/upcalls.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace weft::launcher {

UpcallQueue::UpcallQueue() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void UpcallQueue::post(Upcall upcall) {
  {
    const std::lock_guard lock(mutex_);
    upcalls_.push_back(std::move(upcall));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

std::vector<Upcall> UpcallQueue::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(upcalls_, {});
}

}  // namespace weft::launcher
