// Every predefined operation on every type it takes, element by element against plain scalar code, at lengths and
// alignments around the vector widths; which pairs are allowed; user operations; derived types (accumulate).
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <string>

#include "data/numbers.hpp"
#include "data/operation.hpp"
#include "data/pack.hpp"
#include "oracle.hpp"

namespace weft::data {
#if defined(__x86_64__)
extern const KernelTable avx2_kernels;
#endif
}  // namespace weft::data

namespace weft::test {
namespace {

constexpr std::uint32_t sum = 0x21, minimum = 0x22, maximum = 0x23, product = 0x24, band = 0x28, bor = 0x29, bxor = 0x2a,
                        land = 0x30, lor = 0x31, lxor = 0x32, minloc = 0x38, maxloc = 0x39, replace = 0x3c, no_op = 0x3d;
constexpr std::uint32_t all_numbers[] = {sum, minimum, maximum, product, band, bor, bxor, land, lor, lxor, minloc, maxloc};

template <typename T>
T one_number(Random& random) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(random());
  else return static_cast<T>(static_cast<double>(pick(random, -1000, 1000)) / 8);
}

template <typename T>
T right_answer(std::uint32_t operation, T a, T b) {
  switch (operation) {
    case minimum: return std::min(a, b);
    case maximum: return std::max(a, b);
    case sum:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      else return a + b;
    case product:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      else return a * b;
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case band: return static_cast<T>(a & b);
      case bor: return static_cast<T>(a | b);
      case bxor: return static_cast<T>(a ^ b);
      case land: return static_cast<T>(a && b);
      case lor: return static_cast<T>(a || b);
      case lxor: return static_cast<T>(!a != !b);
      default: break;
    }
  }
  ADD_FAILURE();
  return a;
}

using Check = std::function<void(const data::Operation*, const data::Datatype*, Random&)>;

// Runs the operation on misaligned buffers of every length up to a few vectors; make() fills, expect() combines.
template <typename T, typename Make, typename Expect>
void check_all_lengths(const data::Operation* operation, const data::Datatype* type, Random& random, Make make, Expect expect) {
  ASSERT_EQ(static_cast<std::int64_t>(sizeof(T)), type->extent) << type->given_name;
  for (std::size_t length = 1; length < 70; length += 1 + length / 8) {
    std::vector<T> left(length), right(length), expected(length);
    for (std::size_t i = 0; i < length; ++i) {
      left[i] = make(random);
      right[i] = i % 5 == 0 ? left[i] : make(random);
      expected[i] = expect(left[i], right[i]);
    }
    std::vector<char> in(length * sizeof(T) + 8), inout(length * sizeof(T) + 8);
    const std::size_t shift = length % 2 == 0 ? 0 : length % 8;
    std::memcpy(in.data() + shift, left.data(), length * sizeof(T));
    std::memcpy(inout.data() + shift, right.data(), length * sizeof(T));
    data::apply(operation, in.data() + shift, inout.data() + shift, static_cast<std::int64_t>(length), type);
    std::string found(static_cast<std::size_t>(type->size) * length, '\0'), wanted = found;
    data::pack(type, inout.data() + shift, static_cast<std::int64_t>(length), 0, found.data(), type->size * static_cast<std::int64_t>(length));
    data::pack(type, expected.data(), static_cast<std::int64_t>(length), 0, wanted.data(), type->size * static_cast<std::int64_t>(length));
    if constexpr (std::is_same_v<T, long double> || std::is_same_v<T, std::complex<long double>> ||
                  std::is_same_v<T, data::ValueIndex<long double>>) {
      // A long double has ten bytes; what the other six hold is no part of the value.
      for (std::size_t i = 0; i < length * static_cast<std::size_t>(type->size); ++i) {
        const std::size_t at = i % static_cast<std::size_t>(type->size) % 16;
        if (at >= 10) found[i] = wanted[i] = 0;
      }
    }
    ASSERT_EQ(found, wanted) << operation->name << " " << type->given_name << " length " << length;
  }
}

template <typename T>
void check_number(const data::Operation* operation, const data::Datatype* type, Random& random) {
  check_all_lengths<T>(operation, type, random, one_number<T>,
                       [&](T a, T b) { return right_answer(operation->number, a, b); });
}

template <typename T>
void check_logical(const data::Operation* operation, const data::Datatype* type, Random& random) {
  check_all_lengths<T>(operation, type, random, [](Random& r) { return static_cast<T>(pick(r, 0, 3)); },
                       [&](T a, T b) { return right_answer(operation->number, static_cast<T>(a != 0), static_cast<T>(b != 0)); });
}

template <typename T>
void check_complex(const data::Operation* operation, const data::Datatype* type, Random& random) {
  check_all_lengths<std::complex<T>>(
      operation, type, random, [](Random& r) { return std::complex<T>(one_number<T>(r), one_number<T>(r)); },
      [&](std::complex<T> a, std::complex<T> b) { return operation->number == sum ? a + b : a * b; });
}

template <typename V, typename I = int>
void check_pair(const data::Operation* operation, const data::Datatype* type, Random& random) {
  using Pair = data::ValueIndex<V, I>;
  check_all_lengths<Pair>(
      operation, type, random,
      [](Random& r) {
        Pair pair;
        std::memset(static_cast<void*>(&pair), 0, sizeof pair);
        pair.value = static_cast<V>(pick(r, -4, 4));
        pair.index = static_cast<I>(pick(r, 0, 100));
        return pair;
      },
      [&](Pair a, Pair b) {
        if (a.value == b.value) return a.index < b.index ? a : b;
        return (a.value < b.value) == (operation->number == minloc) ? a : b;
      });
}

// Small exact numbers: what the operation gives is exact in half precision as well.
void check_half(const data::Operation* operation, const data::Datatype* type, Random& random) {
  const auto make = [](Random& r) { return data::to_half(static_cast<float>(pick(r, -32, 32))); };
  check_all_lengths<data::Half>(operation, type, random, make, [&](data::Half a, data::Half b) {
    return data::to_half(right_answer(operation->number, data::to_float(a), data::to_float(b)));
  });
}

void check_half_complex(const data::Operation* operation, const data::Datatype* type, Random& random) {
  const auto half = [](Random& r) { return data::to_half(static_cast<float>(pick(r, -16, 16))); };
  using Number = data::Complex<data::Half>;
  check_all_lengths<Number>(
      operation, type, random, [&](Random& r) { return Number{half(r), half(r)}; },
      [&](Number a, Number b) {
        const std::complex<float> x(data::to_float(a.real), data::to_float(a.imaginary)), y(data::to_float(b.real), data::to_float(b.imaginary));
        const std::complex<float> z = operation->number == sum ? x + y : x * y;
        return Number{data::to_half(z.real()), data::to_half(z.imag())};
      });
}

template <typename T>
void check_wide(const data::Operation* operation, const data::Datatype* type, Random& random) {
  const auto make = [](Random& r) { return static_cast<T>(pick(r, -1'000'000, 1'000'000)); };
  check_all_lengths<T>(operation, type, random, make, [&](T a, T b) {
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    return static_cast<T>(right_answer(operation->number, x, y));
  });
}

void check_wide_complex(const data::Operation* operation, const data::Datatype* type, Random& random) {
  using Number = data::Complex<data::Float128>;
  const auto make = [](Random& r) { return Number{static_cast<data::Float128>(pick(r, -999, 999)), static_cast<data::Float128>(pick(r, -999, 999))}; };
  check_all_lengths<Number>(operation, type, random, make, [&](Number a, Number b) {
    if (operation->number == sum) return Number{a.real + b.real, a.imaginary + b.imaginary};
    return Number{a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  });
}

Check check_of(data::Machine machine) {
  using M = data::Machine;
  switch (machine) {
    case M::int8: return check_number<std::int8_t>;
    case M::int16: return check_number<std::int16_t>;
    case M::int32: return check_number<std::int32_t>;
    case M::int64: return check_number<std::int64_t>;
    case M::int128: return check_wide<data::Int128>;
    case M::uint8:
    case M::byte: return check_number<std::uint8_t>;
    case M::uint16: return check_number<std::uint16_t>;
    case M::uint32: return check_number<std::uint32_t>;
    case M::uint64: return check_number<std::uint64_t>;
    case M::float16: return check_half;
    case M::float32: return check_number<float>;
    case M::float64: return check_number<double>;
    case M::float80: return check_number<long double>;
    case M::float128: return check_wide<data::Float128>;
    case M::complex16: return check_half_complex;
    case M::complex32: return check_complex<float>;
    case M::complex64: return check_complex<double>;
    case M::complex80: return check_complex<long double>;
    case M::complex128: return check_wide_complex;
    case M::boolean8: return check_logical<std::uint8_t>;
    case M::boolean16: return check_logical<std::uint16_t>;
    case M::boolean32: return check_logical<std::uint32_t>;
    case M::boolean64: return check_logical<std::uint64_t>;
    case M::boolean128: return check_wide<data::Int128>;
    case M::float_int: return check_pair<float>;
    case M::double_int: return check_pair<double>;
    case M::long_int: return check_pair<long>;
    case M::int_int: return check_pair<int>;
    case M::short_int: return check_pair<short>;
    case M::long_double_int: return check_pair<long double>;
    case M::float_float: return check_pair<float, float>;
    case M::double_double: return check_pair<double, double>;
    default: return nullptr;
  }
}

void check_every_pair() {
  Random random(17);
  int pairs = 0;
  for (const data::Datatype& type : data::all_predefined()) {
    for (const std::uint32_t number : all_numbers) {
      const data::Operation* operation = data::predefined_operation(number);
      ASSERT_NE(operation, nullptr);
      if (!data::allowed(operation, &type)) continue;
      ++pairs;
      ASSERT_NE(data::kernel(operation, &type), nullptr) << operation->name << " " << type.given_name;
      const Check check = check_of(type.machine);
      ASSERT_TRUE(check) << type.given_name;
      if (type.machine == data::Machine::boolean128) continue;  // checked by the 128-bit integers' loop
      check(operation, &type, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(pairs, 367);  // the standard's table, counted by hand
}

TEST(Operation, EveryAllowedPair) { check_every_pair(); }

TEST(Operation, GapsKeepTheirBytes) {
  long double in = 1.5L, inout[2];
  std::memset(static_cast<void*>(inout), 0x5a, sizeof inout);
  inout[0] = 2;
  std::memset(reinterpret_cast<char*>(inout) + 10, 0x5a, 6);
  data::apply(data::predefined_operation(sum), &in, inout, 1, data::predefined(0x220));
  EXPECT_EQ(inout[0], 3.5L);
  for (int i = 10; i < 32; ++i) EXPECT_EQ(reinterpret_cast<char*>(inout)[i], 0x5a) << i;

  char left[16] = {}, right[16];
  std::memset(right, 0x5a, sizeof right);
  const double value = 3;
  const int index = 7;
  std::memcpy(right, &value, 8);
  std::memcpy(right + 8, &index, 4);
  data::apply(data::predefined_operation(minloc), left, right, 1, data::predefined(0x229));
  EXPECT_EQ(std::string(right, 12), std::string(12, '\0'));
  EXPECT_EQ(std::string(right + 12, 4), std::string(4, '\x5a'));
}

TEST(Operation, InstructionSetsGiveTheSameBits) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP();
  Random random(23);
  const data::KernelTable* chosen = data::kernels;
  EXPECT_EQ(chosen, &data::avx2_kernels);
  for (const std::uint32_t type_number : {0x209u, 0x210u, 0x214u, 0x217u, 0x213u, 0x248u, 0x241u}) {
    const data::Datatype* type = data::predefined(type_number);
    for (const std::uint32_t number : {sum, product}) {
      std::vector<char> in(4096), first(4096);
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<char>(random());
        first[i] = static_cast<char>(random());
      }
      std::vector<char> second = first;
      const std::int64_t count = 4096 / type->size;
      data::apply(data::predefined_operation(number), in.data(), first.data(), count, type);
      for (std::int64_t i = 0; i < count; ++i) {  // one by one: the scalar remainder of the same loop
        data::apply(data::predefined_operation(number), in.data() + i * type->size, second.data() + i * type->size, 1, type);
      }
      EXPECT_EQ(first, second) << type->given_name;
    }
  }
#endif
}

TEST(Operation, WhatIsNotAllowed) {
  const auto may = [](std::uint32_t number, std::uint32_t type) {
    return data::allowed(data::predefined_operation(number), data::predefined(type));
  };
  EXPECT_FALSE(may(band, 0x214));     // doubles have no bits to combine
  EXPECT_FALSE(may(land, 0x214));
  EXPECT_FALSE(may(minimum, 0x217));  // complex numbers have no order
  EXPECT_FALSE(may(sum, 0x247));      // bytes are no numbers
  EXPECT_FALSE(may(minloc, 0x214));
  EXPECT_FALSE(may(sum, 0x229));
  EXPECT_FALSE(may(sum, 0x218));
  EXPECT_FALSE(may(replace, 0x214));
  EXPECT_TRUE(may(band, 0x247));
  EXPECT_TRUE(may(maximum, 0x201));
  EXPECT_EQ(data::predefined_operation(0x20), nullptr);
  EXPECT_EQ(data::predefined_operation(0x25), nullptr);
  EXPECT_EQ(data::predefined_operation(0x209), nullptr);
  data::Datatype* derived = data::make_contiguous(2, data::predefined(0x214));
  EXPECT_FALSE(data::allowed(data::predefined_operation(sum), derived));
  data::release(derived);
}

TEST(Operation, HalfPrecisionRoundsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const data::Half half{static_cast<std::uint16_t>(bits)};
    const float value = data::to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(data::to_float(data::to_half(value))));
    } else {
      ASSERT_EQ(data::to_half(value).bits, half.bits);
    }
  }
  EXPECT_EQ(data::to_half(2049.0f).bits, data::to_half(2048.0f).bits);
  EXPECT_EQ(data::to_half(2051.0f).bits, data::to_half(2052.0f).bits);
  EXPECT_EQ(data::to_half(65519.0f).bits, 0x7bff);
  EXPECT_EQ(data::to_half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(data::to_half(0x1p-25f).bits, 0);
  EXPECT_EQ(data::to_half(0x1.8p-24f).bits, 2);
}

int calls = 0;
std::int64_t longest = 0;
void user_sum(void* in, void* inout, int* length, MPI_ABI_Datatype** type) {
  ++calls;
  longest = std::max<std::int64_t>(longest, *length);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(*type), 0x209u);
  for (int i = 0; i < std::min(*length, 4); ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}
void user_sum_large(void*, void*, std::int64_t* length, MPI_ABI_Datatype**) {
  ++calls;
  longest = *length;
}

TEST(Operation, UserFunctions) {
  int in[4] = {1, 2, 3, 4}, inout[4] = {10, 20, 30, 40};
  data::Operation* operation = data::make_operation(user_sum, true);
  EXPECT_TRUE(operation->commutative);
  data::apply(operation, in, inout, 4, data::predefined(0x209));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(inout[3], 44);
  data::release(operation);
  EXPECT_EQ(operation->magic, 0u);

  operation = data::make_operation(user_sum_large, false);
  data::apply(operation, in, inout, 5'000'000'000, data::predefined(0x209));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(longest, 5'000'000'000);
  data::release(operation);
}

void count_only(void*, void*, int* length, MPI_ABI_Datatype**) {
  ++calls;
  longest += *length;
}
TEST(Operation, CountsPastIntAreSplitForTheOldForm) {
  calls = 0;
  longest = 0;
  data::Operation* operation = data::make_operation(count_only, true);
  data::Datatype* still = data::make_resized(data::predefined(0x209), 0, 0);
  int one = 0;
  data::apply(operation, &one, &one, 5'000'000'000, still);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(longest, 5'000'000'000);
  data::release(still);
  data::release(operation);
}

TEST(Operation, DerivedTypesOfOneBasic) {
  const Both rows = hvector(3, 2, 24, basic(0x214));
  data::commit(rows.type);
  double in[16], inout[16];
  for (int i = 0; i < 16; ++i) in[i] = i, inout[i] = 100;
  data::apply(data::predefined_operation(sum), in, inout, 1, rows.type);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(inout[i], i < 8 && i % 3 != 2 ? 100 + i : 100) << i;
  data::apply(data::predefined_operation(replace), in, inout, 1, rows.type);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(inout[i], i < 8 && i % 3 != 2 ? i : 100) << i;
  data::apply(data::predefined_operation(no_op), inout, in, 1, rows.type);
  EXPECT_EQ(in[1], 1);

  using Pair = data::ValueIndex<short>;
  const Both pairs = contiguous(3, basic(0x22c));
  data::commit(pairs.type);
  Pair left[3] = {{1, 5}, {7, 6}, {2, 7}}, right[3] = {{4, 1}, {3, 2}, {2, 3}};
  data::apply(data::predefined_operation(minloc), left, right, 1, pairs.type);
  EXPECT_EQ(right[0].value, 1);
  EXPECT_EQ(right[0].index, 5);
  EXPECT_EQ(right[1].index, 2);
  EXPECT_EQ(right[2].index, 3);
}

}  // namespace
}  // namespace weft::test
