// Sleeping on and waking a 32-bit word, between threads or between processes that share the memory. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/clock.hpp"

namespace weft::os {

// Sleeps while word == expected, until woken or the time is over. May return early; the caller re-checks.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept;
void futex_wake(std::atomic<std::uint32_t>& word, int waiters) noexcept;

// The asymmetric barrier: a rare, dear fence on the sleeper's side that makes fences on the wakers' side needless. After
// barrier_register() in every process, barrier_all() acts as a full fence in each running thread of all of them.
bool barrier_register() noexcept;        // false: the kernel has none; wakers must fence themselves
void barrier_all() noexcept;

}  // namespace weft::os
