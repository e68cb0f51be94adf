// The futex behind the doorbell.
#include "fabric/shm/doorbell.hpp"

#include "os/futex.hpp"

namespace weft::fabric::shm {

void wake(RankPage& page) noexcept {
  if (page.sleeping.exchange(0, std::memory_order_acq_rel) == 0) return;   // another sender was first
  page.doorbell.fetch_add(1, std::memory_order_release);
  os::futex_wake(page.doorbell, 1);
}

std::uint32_t prepare_sleep(RankPage& page) noexcept {
  const std::uint32_t word = page.doorbell.load(std::memory_order_acquire);
  page.sleeping.store(1, std::memory_order_seq_cst);
  if (page.needs_fence.load(std::memory_order_relaxed) == 0) os::barrier_all();
  return word;
}

void cancel_sleep(RankPage& page) noexcept { page.sleeping.store(0, std::memory_order_relaxed); }

void sleep(RankPage& page, std::uint32_t word, std::int64_t timeout_ns) noexcept {
  os::futex_wait(page.doorbell, word, timeout_ns);
  page.sleeping.store(0, std::memory_order_relaxed);
}

}  // namespace weft::fabric::shm
