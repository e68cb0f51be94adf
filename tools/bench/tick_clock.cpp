// Which clock is cheap here; see tick_clock.hpp.
#include "bench/tick_clock.hpp"

#include <ratio>

namespace weft::bench {

static_assert(std::ratio_equal_v<std::chrono::steady_clock::period, std::nano>, "ticks of the system's clock are nanoseconds");

TickClock::TickClock() {
#if defined(__x86_64__)
  using std::chrono::steady_clock;
  using nanoseconds = std::chrono::duration<double, std::nano>;
  constexpr int reads = 200;
  constexpr double cheap_read_ns = 200, comparison_ns = 20e6;
  const auto begin = steady_clock::now();
  for (int i = 0; i < reads; ++i) (void)steady_clock::now();
  if (nanoseconds(steady_clock::now() - begin).count() < cheap_read_ns * reads) return;
  const auto first = steady_clock::now();
  const std::uint64_t first_tick = __rdtsc();
  double passed_ns = 0;
  std::uint64_t ticks = 0;
  while (passed_ns < comparison_ns) {
    passed_ns = nanoseconds(steady_clock::now() - first).count();
    ticks = __rdtsc() - first_tick;
  }
  counter_ = true;
  ns_per_tick_ = passed_ns / static_cast<double>(ticks);
#endif
}

}  // namespace weft::bench
