// 64-bit sums that remember whether one overflowed, for bounds and sizes of datatypes. Used when a type is made.
#pragma once

#include <cstdint>

namespace weft::data {

class Checked {
 public:
  std::int64_t add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    overflow_ |= __builtin_add_overflow(a, b, &sum);
    return sum;
  }
  std::int64_t multiply(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    overflow_ |= __builtin_mul_overflow(a, b, &product);
    return product;
  }
  bool overflow() const { return overflow_; }

 private:
  bool overflow_ = false;
};

}  // namespace weft::data
