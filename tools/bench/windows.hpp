// The measuring loop of every subcommand: many short windows of the operation, each followed by a window of the raw
// limit, so that both see the same state of the machine. Rank 0 fixes how many repetitions a window holds and how many
// windows there are, and tells the others; every rank of the job calls measure() with its own part of the operation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/job.hpp"

namespace weft::bench {

struct Samples {
  std::vector<double> value_ns;   // time of one repetition, per window
  std::vector<double> limit_ns;   // the limit beside it
};

// body(repetitions) runs the operation; limit() returns the raw time to compare one repetition with, or 0.
template <typename Body, typename Limit>
Samples measure(double seconds, Body&& body, Limit&& limit) {
  constexpr double window_goal_ns = 40'000;   // long against the clock's grain, short against a time slice
  constexpr std::int64_t most_repetitions = 2000, least_windows = 12, most_windows = 20'000;
  std::int64_t repetitions = 1;
  double turn_ns = 0;
  for (bool enough = false; !enough;) {
    body(repetitions);   // warm
    const double begin = now_ns();
    body(repetitions);
    const double window_ns = now_ns() - begin;
    limit();
    turn_ns = now_ns() - begin;
    enough = agree(window_ns >= window_goal_ns || repetitions >= most_repetitions ? 1 : 0) == 1;
    if (!enough) repetitions *= 2;
  }
  const std::int64_t windows =
      agree(std::clamp(static_cast<std::int64_t>(seconds * 1e9 / turn_ns), least_windows, most_windows));
  Samples samples;
  for (std::int64_t window = 0; window < windows; ++window) {
    const double begin = now_ns();
    body(repetitions);
    samples.value_ns.push_back((now_ns() - begin) / static_cast<double>(repetitions));
    samples.limit_ns.push_back(limit());
  }
  return samples;
}

}  // namespace weft::bench
