// The futex behind the doorbell.
#include "fabric/shm/doorbell.hpp"

#include "fabric/shm/bell_socket.hpp"
#include "os/futex.hpp"

namespace weft::fabric::shm {

void attend(RankPage& page) noexcept {
  if ((page.attention.load(std::memory_order_relaxed) & needs_fence) != 0) std::atomic_thread_fence(std::memory_order_seq_cst);
  if ((page.attention.load(std::memory_order_relaxed) & sleeping) != 0) wake(page);
}

void wake(RankPage& page) noexcept {
  const std::uint32_t attention = page.attention.fetch_and(~(sleeping | by_socket), std::memory_order_acq_rel);
  if ((attention & sleeping) == 0) return;   // another sender was first
  if ((attention & by_socket) != 0) return ring_socket(page.bell_name);
  page.doorbell.fetch_add(1, std::memory_order_release);
  os::futex_wake(page.doorbell, 1);
}

std::uint32_t prepare_sleep(RankPage& page, bool on_socket) noexcept {
  const std::uint32_t word = page.doorbell.load(std::memory_order_acquire);
  if ((page.attention.fetch_or(on_socket ? sleeping | by_socket : sleeping, std::memory_order_seq_cst) & needs_fence) == 0) os::barrier_all();
  return word;
}

void cancel_sleep(RankPage& page) noexcept { page.attention.fetch_and(~(sleeping | by_socket), std::memory_order_relaxed); }

void sleep(RankPage& page, std::uint32_t word, std::int64_t timeout_ns) noexcept {
  os::futex_wait(page.doorbell, word, timeout_ns);
  cancel_sleep(page);
}

}  // namespace weft::fabric::shm
