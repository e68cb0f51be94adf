// Waking a sleeping rank, and sleeping. A sender looks at the receiver's `sleeping` word after each publication; the line
// is quiet, so this costs a load from its own cache. The store that published must not pass that load: either the sleeper
// pays (membarrier makes every running sender fence, once a sleep) or, where `needs_fence` stands, the sender does.
// Any thread may ring; one thread of the owner sleeps.
#pragma once

#include "fabric/shm/layout.hpp"

namespace weft::fabric::shm {

void wake(RankPage& page) noexcept;

inline void ring_doorbell(RankPage& page, bool fence_always) noexcept {
  if (__builtin_expect(fence_always || page.needs_fence.load(std::memory_order_relaxed) != 0, 0))
    std::atomic_thread_fence(std::memory_order_seq_cst);
  if (__builtin_expect(page.sleeping.load(std::memory_order_relaxed) != 0, 0)) wake(page);
}

// The sleeper's side; the word to hand to sleep() comes from prepare().
std::uint32_t prepare_sleep(RankPage& page) noexcept;
void cancel_sleep(RankPage& page) noexcept;
void sleep(RankPage& page, std::uint32_t word, std::int64_t timeout_ns) noexcept;

}  // namespace weft::fabric::shm
