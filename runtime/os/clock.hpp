// Monotonic time and deadlines. Every wait in weft has a Deadline or a comment that says why not. Any thread.
#pragma once

#include <cstdint>

namespace weft::os {

std::int64_t now_ns() noexcept;         // CLOCK_MONOTONIC
double now_s() noexcept;

// For the lengths of spins and pauses only: where reading the system's clock is a system call (User Mode Linux, some virtual
// machines) a look at it costs as much as the message that is waited for, so there the processor's counter is scaled instead,
// good to some percent. Not to be compared with now_ns(). choose_spin_clock() comes first.
void choose_spin_clock() noexcept;
std::int64_t spin_now_ns() noexcept;

// A short pause inside a spin loop, kind to the sibling hyper-thread.
inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

class Deadline {
 public:
  static Deadline never() noexcept { return Deadline(INT64_MAX); }
  static Deadline in_ms(std::int64_t ms) noexcept { return Deadline(now_ns() + ms * 1'000'000); }
  bool passed() const noexcept { return at_ns_ != INT64_MAX && now_ns() >= at_ns_; }
  std::int64_t left_ns() const noexcept;   // 0 when passed, INT64_MAX for never
  int left_ms() const noexcept;            // for poll(2): rounded up, -1 for never

 private:
  explicit Deadline(std::int64_t at_ns) noexcept : at_ns_(at_ns) {}
  std::int64_t at_ns_;
};

}  // namespace weft::os
