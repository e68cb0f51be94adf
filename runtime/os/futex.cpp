// futex(2) on shared words, and membarrier(2).
#include "os/futex.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::os {

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  timespec time{};
  time.tv_sec = timeout_ns / 1'000'000'000;
  time.tv_nsec = timeout_ns % 1'000'000'000;
  (void)::syscall(SYS_futex, &word, FUTEX_WAIT, expected, timeout_ns == INT64_MAX ? nullptr : &time, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word, int waiters) noexcept {
  (void)::syscall(SYS_futex, &word, FUTEX_WAKE, waiters, nullptr, nullptr, 0);
}

bool barrier_register() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void barrier_all() noexcept { (void)::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0); }

}  // namespace weft::os
