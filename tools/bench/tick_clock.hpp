// A clock to time single requests with. Where reading the system's clock is a system call (User Mode Linux, some virtual
// machines) it would be a tenth of the figure, so there the processor's invariant counter is read and scaled. Any thread.
#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace weft::bench {

class TickClock {
 public:
  TickClock();   // takes some 20 ms where the counter has to be compared with the clock

  std::uint64_t now() const {
#if defined(__x86_64__)
    if (counter_) return __rdtsc();
#endif
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  double ns(std::uint64_t ticks) const { return static_cast<double>(ticks) * ns_per_tick_; }
  std::uint64_t ticks(double seconds) const { return static_cast<std::uint64_t>(seconds * 1e9 / ns_per_tick_); }

 private:
  bool counter_ = false;
  double ns_per_tick_ = 1;
};

}  // namespace weft::bench
