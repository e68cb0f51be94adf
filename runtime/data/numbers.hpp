// The machine's numbers behind MPI's types that C++ has no portable name for: half precision, quad precision, 128-bit
// integers, complex pairs, logicals, value-index pairs. Plain data; only what reductions need. Used by kernels.hpp.
#pragma once

#include <bit>
#include <cstdint>

namespace weft::data {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __float128 Float128;

// IEEE half precision, computed in single precision and rounded to nearest even after each operation.
struct Half {
  std::uint16_t bits;
};

inline float to_float(Half half) {
  const std::uint32_t sign = (half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1fu;
  const std::uint32_t fraction = half.bits & 0x3ffu;
  if (exponent == 0) {  // zero and subnormal: fraction * 2^-24, exact
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffu : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

inline Half to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t result = 0;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u;  // not a number
  } else if (magnitude >= 0x477ff000u) {
    result = 0x7c00u;  // rounds past the largest
  } else if (magnitude < 0x38800000u) {  // subnormal: the float's own rounding, at a bias that leaves the fraction at the end
    result = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
  } else {
    result = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  }
  return {static_cast<std::uint16_t>(sign | result)};
}

template <typename Part>
struct Complex {
  Part real;
  Part imaginary;
};

// A truth value of so many bits: anything but zero is true, results are 0 and 1.
template <typename Bits>
struct Logical {
  Bits bits;
};

template <typename Value, typename Index = int>
struct ValueIndex {
  Value value;
  Index index;
};

}  // namespace weft::data
