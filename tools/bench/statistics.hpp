// Order statistics of many short measuring windows. A window disturbed by the machine lands in the tail, so the median
// and the tenth percentile stay true on a busy host. Used by every subcommand; plain values, no state.
#pragma once

#include <span>
#include <vector>

namespace weft::bench {

struct Summary {
  double median = 0;
  double p10 = 0;
  double p99 = 0;
};

// The value below which `fraction` of the sorted values lie. Empty input gives 0.
double quantile(std::span<const double> sorted, double fraction);
Summary summarize(std::vector<double> values);

// The median of values[i] / limits[i]: each window is compared with the limit measured right after it, so a core that
// changes speed or place half way does not bend the ratio. 0 when there is nothing to compare with.
double median_ratio(std::span<const double> values, std::span<const double> limits);

}  // namespace weft::bench
