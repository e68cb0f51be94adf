// Monotonic time and deadlines.
#include "os/clock.hpp"

#include <ctime>

namespace weft::os {

std::int64_t now_ns() noexcept {
  timespec time{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

double now_s() noexcept { return static_cast<double>(now_ns()) * 1e-9; }

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
