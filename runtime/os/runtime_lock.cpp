// A ticket lock that sleeps on a futex, with an owner so that it may be taken again by the thread that has it.
#include "os/runtime_lock.hpp"

#include <atomic>
#include <climits>

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/require.hpp"

namespace weft::os {

std::uint8_t runtime_state = not_initialised;

namespace runtime_lock {
namespace {

constexpr int spins_before_sleep = 200;

std::atomic<std::uint32_t> next_ticket{0};
std::atomic<std::uint32_t> serving{0};
std::atomic<std::uint32_t> sleepers{0};
std::atomic<const void*> owner{nullptr};
int depth = 0;                         // guarded by the lock
thread_local char me = 0;              // its address names the thread

void take_ticket() noexcept {
  const std::uint32_t mine = next_ticket.fetch_add(1, std::memory_order_relaxed);
  for (int spin = 0;; ++spin) {
    const std::uint32_t now = serving.load(std::memory_order_acquire);
    if (now == mine) return;
    if (spin < spins_before_sleep) {
      pause();
      continue;
    }
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    futex_wait(serving, now, INT64_MAX);   // no deadline: whoever holds the lock gives it up at each wait
    sleepers.fetch_sub(1, std::memory_order_relaxed);
  }
}

void serve_next() noexcept {
  serving.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) != 0) futex_wake(serving, INT_MAX);
}

}  // namespace

void acquire() noexcept {
  if (owner.load(std::memory_order_relaxed) != &me) {
    take_ticket();
    owner.store(&me, std::memory_order_relaxed);
  }
  ++depth;
}

void release() noexcept {
  WEFT_REQUIRE(owner.load(std::memory_order_relaxed) == &me);
  if (--depth != 0) return;
  owner.store(nullptr, std::memory_order_relaxed);
  serve_next();
}

void yield() noexcept {
  if (next_ticket.load(std::memory_order_relaxed) == serving.load(std::memory_order_relaxed) + 1) return;
  const Released let_others_in;
}

Released::Released() noexcept {
  if (owner.load(std::memory_order_relaxed) != &me) return;
  depth_ = depth;
  depth = 0;
  owner.store(nullptr, std::memory_order_relaxed);
  serve_next();
}

Released::~Released() {
  if (depth_ == 0) return;
  take_ticket();
  owner.store(&me, std::memory_order_relaxed);
  depth = depth_;
}

}  // namespace runtime_lock
}  // namespace weft::os
