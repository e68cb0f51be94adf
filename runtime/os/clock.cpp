// Monotonic time and deadlines.
#include "os/clock.hpp"

#include <algorithm>
#include <ctime>
#include <mutex>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace weft::os {
namespace {

double counter_ns_per_tick = 0;        // 0: the system's clock is cheap, or there is no counter to trust

#if defined(__x86_64__)
bool counter_is_steady() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

// Of several tries: one that another process's turn made long says nothing.
std::int64_t cheapest_read_ns() noexcept {
  constexpr int tries = 4, reads = 4;
  std::int64_t cheapest_ns = INT64_MAX;
  for (int i = 0; i < tries; ++i) {
    const std::int64_t begin_ns = now_ns();
    for (int read = 1; read < reads; ++read) (void)now_ns();
    cheapest_ns = std::min(cheapest_ns, (now_ns() - begin_ns) / reads);
  }
  return cheapest_ns;
}
#endif

void choose() noexcept {
#if defined(__x86_64__)
  if (!counter_is_steady() || cheapest_read_ns() < 1000) return;
  constexpr std::int64_t comparison_ns = 5'000'000;
  const std::int64_t first_ns = now_ns();
  const std::uint64_t first_tick = __rdtsc();
  std::int64_t last_ns = first_ns;
  while (last_ns - first_ns < comparison_ns) last_ns = now_ns();
  counter_ns_per_tick = static_cast<double>(last_ns - first_ns) / static_cast<double>(__rdtsc() - first_tick);
#endif
}

}  // namespace

std::int64_t now_ns() noexcept {
  timespec time{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

double now_s() noexcept { return static_cast<double>(now_ns()) * 1e-9; }

void choose_spin_clock() noexcept {
  static std::once_flag once;          // in the tests ranks are threads: the first one's choice stays
  std::call_once(once, choose);
}

std::int64_t spin_now_ns() noexcept {
#if defined(__x86_64__)
  if (counter_ns_per_tick > 0) return static_cast<std::int64_t>(static_cast<double>(__rdtsc()) * counter_ns_per_tick);
#endif
  return now_ns();
}

std::int64_t Deadline::left_ns() const noexcept {
  if (at_ns_ == INT64_MAX) return INT64_MAX;
  const std::int64_t left = at_ns_ - now_ns();
  return left > 0 ? left : 0;
}

int Deadline::left_ms() const noexcept {
  if (at_ns_ == INT64_MAX) return -1;
  const std::int64_t ms = (left_ns() + 999'999) / 1'000'000;
  return ms > 1'000'000'000 ? 1'000'000'000 : static_cast<int>(ms);
}

}  // namespace weft::os
