// Waking a sleeping rank, and sleeping. A sender looks at the receiver's `attention` word after each publication; the line
// is quiet, so this costs a load from its own cache. The store that published must not pass that load: either the sleeper
// pays (membarrier makes every running sender fence, once a sleep) or, where `needs_fence` stands, the sender does.
// Any thread may ring; one thread of the owner sleeps.
#pragma once

#include "fabric/shm/layout.hpp"

namespace weft::fabric::shm {

// Bits of RankPage::attention.
inline constexpr std::uint32_t sleeping = 1;      // set by the owner, taken by the peer that wakes it
inline constexpr std::uint32_t needs_fence = 2;   // no membarrier somewhere, or ranks share cores
inline constexpr std::uint32_t by_socket = 4;     // with `sleeping`: the owner sleeps on its bell socket, not on the futex

[[gnu::cold]] void attend(RankPage& page) noexcept;
void wake(RankPage& page) noexcept;

inline void ring_doorbell(RankPage& page) noexcept {
  if (page.attention.load(std::memory_order_relaxed) != 0) [[unlikely]] attend(page);
}

// The sleeper's side; the word to hand to sleep() comes from prepare().
std::uint32_t prepare_sleep(RankPage& page, bool on_socket) noexcept;
void cancel_sleep(RankPage& page) noexcept;
void sleep(RankPage& page, std::uint32_t word, std::int64_t timeout_ns) noexcept;

}  // namespace weft::fabric::shm
