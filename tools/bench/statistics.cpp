// Order statistics of measuring windows; see statistics.hpp.
#include "bench/statistics.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::bench {

double quantile(std::span<const double> sorted, double fraction) {
  if (sorted.empty()) return 0;
  const auto place = static_cast<std::size_t>(fraction * static_cast<double>(sorted.size()));
  return sorted[std::min(place, sorted.size() - 1)];
}

Summary summarize(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.99)};
}

double median_ratio(std::span<const double> values, std::span<const double> limits) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(values.size(), limits.size()); ++i)
    if (limits[i] > 0) ratios.push_back(values[i] / limits[i]);
  return summarize(std::move(ratios)).median;
}

}  // namespace weft::bench
