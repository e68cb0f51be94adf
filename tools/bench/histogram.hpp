// The times of single requests, each really taken, kept as counts in buckets of less than one percent width, so that any
// number of requests costs the same memory and the ranks' counts can be added up. Plain values; one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::bench {

class Histogram {
 public:
  Histogram();
  void add(double value_ns);
  // The value that `fraction` of the requests did not exceed (nearest rank); 0 when there are none.
  double percentile_ns(double fraction) const;
  std::uint64_t count() const;
  std::span<std::uint64_t> buckets() { return buckets_; }   // to be summed over ranks

 private:
  std::vector<std::uint64_t> buckets_;
};

}  // namespace weft::bench
