// Buckets: whole nanoseconds below 256, then 128 of equal width for each doubling, up to some 18 minutes; see histogram.hpp.
#include "bench/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace weft::bench {
namespace {

constexpr std::uint64_t exact_values = 256, per_doubling = exact_values / 2;
constexpr int exact_bits = 8, doublings = 32;
constexpr std::uint64_t bucket_count = exact_values + doublings * per_doubling;

std::uint64_t bucket_of(std::uint64_t value) {
  if (value < exact_values) return value;
  const int shift = static_cast<int>(std::bit_width(value)) - exact_bits;
  return std::min(exact_values + static_cast<std::uint64_t>(shift - 1) * per_doubling + (value >> shift) - per_doubling, bucket_count - 1);
}

double middle_of(std::uint64_t bucket) {
  if (bucket < exact_values) return static_cast<double>(bucket);
  const std::uint64_t shift = (bucket - exact_values) / per_doubling + 1;
  const std::uint64_t lowest = ((bucket - exact_values) % per_doubling + per_doubling) << shift;
  return static_cast<double>(lowest) + static_cast<double>((std::uint64_t{1} << shift) - 1) / 2;
}

}  // namespace

Histogram::Histogram() : buckets_(bucket_count) {}

void Histogram::add(double value_ns) { ++buckets_[bucket_of(value_ns > 0 ? static_cast<std::uint64_t>(value_ns + 0.5) : 0)]; }

std::uint64_t Histogram::count() const { return std::accumulate(buckets_.begin(), buckets_.end(), std::uint64_t{0}); }

double Histogram::percentile_ns(double fraction) const {
  const auto wanted = std::max<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count()))), 1);
  std::uint64_t seen = 0;
  for (std::uint64_t bucket = 0; bucket < bucket_count; ++bucket)
    if ((seen += buckets_[bucket]) >= wanted) return middle_of(bucket);
  return 0;
}

}  // namespace weft::bench
