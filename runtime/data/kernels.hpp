// The loops of the predefined operations, as one table built at compile time. Included once per instruction set, inside
// the namespace WEFT_KERNELS names (kernels_baseline.cpp, kernels_avx2.cpp); the loops are plain, compilers vectorise them.
// Elements are combined one by one, so instruction sets, alignment and lengths never change a bit of the result.
// Integer arithmetic wraps.
#include <cstring>
#include <type_traits>

#include "data/numbers.hpp"
#include "data/operation.hpp"

namespace weft::data::WEFT_KERNELS {

using Code = OperationCode;

// ---- one element: answers left op right ----

// Unsigned and no narrower than int, so that nothing overflows or is promoted to a signed type.
template <typename T>
struct Wrapping {
  using type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};
template <>
struct Wrapping<Int128> {
  using type = Uint128;
};

template <typename T>
constexpr bool is_integer = std::is_integral_v<T> || std::is_same_v<T, Int128>;

template <Code code, typename T>
inline T combine(T left, T right) {
  if constexpr (code == Code::minimum) {
    return left < right ? left : right;
  } else if constexpr (code == Code::maximum) {
    return left > right ? left : right;
  } else if constexpr (!is_integer<T>) {
    if constexpr (code == Code::sum) return left + right;
    if constexpr (code == Code::product) return left * right;
  } else {
    using Wide = typename Wrapping<T>::type;
    const auto l = static_cast<Wide>(left), r = static_cast<Wide>(right);
    if constexpr (code == Code::sum) return static_cast<T>(l + r);
    if constexpr (code == Code::product) return static_cast<T>(l * r);
    if constexpr (code == Code::bitwise_and) return static_cast<T>(l & r);
    if constexpr (code == Code::bitwise_or) return static_cast<T>(l | r);
    if constexpr (code == Code::bitwise_xor) return static_cast<T>(l ^ r);
    if constexpr (code == Code::logical_and) return static_cast<T>((left != 0) & (right != 0));
    if constexpr (code == Code::logical_or) return static_cast<T>((left != 0) | (right != 0));
    if constexpr (code == Code::logical_xor) return static_cast<T>((left != 0) ^ (right != 0));
  }
}

template <Code code>
inline Half combine(Half left, Half right) {
  return to_half(combine<code>(to_float(left), to_float(right)));
}

template <Code code, typename Bits>
inline Logical<Bits> combine(Logical<Bits> left, Logical<Bits> right) {
  return {combine<code>(left.bits, right.bits)};
}

template <typename Part>
inline Part times(Part left, Part right) { return combine<Code::product>(left, right); }

template <Code code, typename Part>
inline Complex<Part> combine(Complex<Part> left, Complex<Part> right) {
  if constexpr (code == Code::sum) {
    return {combine<Code::sum>(left.real, right.real), combine<Code::sum>(left.imaginary, right.imaginary)};
  } else if constexpr (std::is_same_v<Part, Half>) {
    const float a = to_float(left.real), b = to_float(left.imaginary), c = to_float(right.real), d = to_float(right.imaginary);
    return {to_half(a * c - b * d), to_half(a * d + b * c)};
  } else {
    return {left.real * right.real - left.imaginary * right.imaginary, left.real * right.imaginary + left.imaginary * right.real};
  }
}

// Equal values keep the lower index.
template <Code code, typename Value, typename Index>
inline ValueIndex<Value, Index> combine(ValueIndex<Value, Index> left, ValueIndex<Value, Index> right) {
  if (left.value == right.value) return {left.value, left.index < right.index ? left.index : right.index};
  const bool take_left = code == Code::minimum_location ? left.value < right.value : left.value > right.value;
  return take_left ? left : right;
}

// ---- loops ----

// Through memcpy, since buffers may be message slots of any alignment; it compiles to plain and vector moves.
template <typename T>
inline T load(const void* memory, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(memory) + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}
// Writes the bytes of the value and leaves those of gaps alone.
template <typename T>
inline void put(char* to, const T& value) {
  std::memcpy(to, &value, std::is_same_v<T, long double> ? 10 : sizeof(T));
}
inline void put(char* to, const Complex<long double>& value) {
  put(to, value.real);
  put(to + sizeof(long double), value.imaginary);
}
template <typename Value, typename Index>
inline void put(char* to, const ValueIndex<Value, Index>& pair) {
  put(to, pair.value);
  put(to + (reinterpret_cast<const char*>(&pair.index) - reinterpret_cast<const char*>(&pair)), pair.index);
}

template <Code code, typename T>
void loop(const void* in, void* inout, std::int64_t count) {
  char* to = static_cast<char*>(inout);
  for (std::int64_t i = 0; i < count; ++i, to += sizeof(T)) put(to, combine<code>(load<T>(in, i), load<T>(inout, i)));
}

template <typename T>
void replace_loop(const void* in, void* inout, std::int64_t count) {
  std::memmove(inout, in, static_cast<std::size_t>(count) * sizeof(T));
}

inline void nothing(const void*, void*, std::int64_t) {}

// ---- the table ----

class Filling {
 public:
  constexpr Filling() {
    integers();
    floating_points();
    complexes();
    logicals();
    pairs();
  }
  constexpr KernelTable table() const { return table_; }

 private:
  template <typename T>
  constexpr void set_common(Machine machine) {
    set(Code::replace, machine, replace_loop<T>);
    set(Code::no_op, machine, nothing);
  }
  template <typename T, Code... codes>
  constexpr void set_loops(Machine machine) {
    set_common<T>(machine);
    (set(codes, machine, loop<codes, T>), ...);
  }
  constexpr void set(Code code, Machine machine, Kernel kernel) {
    table_.of[static_cast<int>(code)][static_cast<int>(machine)] = kernel;
  }

  template <typename T>
  constexpr void integer(Machine machine) {
    set_loops<T, Code::sum, Code::minimum, Code::maximum, Code::product, Code::bitwise_and, Code::bitwise_or, Code::bitwise_xor,
              Code::logical_and, Code::logical_or, Code::logical_xor>(machine);
  }
  constexpr void integers() {
    integer<std::int8_t>(Machine::int8);
    integer<std::int16_t>(Machine::int16);
    integer<std::int32_t>(Machine::int32);
    integer<std::int64_t>(Machine::int64);
    integer<Int128>(Machine::int128);
    integer<std::uint8_t>(Machine::uint8);
    integer<std::uint16_t>(Machine::uint16);
    integer<std::uint32_t>(Machine::uint32);
    integer<std::uint64_t>(Machine::uint64);
    set_loops<std::uint8_t, Code::bitwise_and, Code::bitwise_or, Code::bitwise_xor>(Machine::byte);
  }

  template <typename T>
  constexpr void floating_point(Machine machine) {
    set_loops<T, Code::sum, Code::minimum, Code::maximum, Code::product>(machine);
  }
  constexpr void floating_points() {
    floating_point<Half>(Machine::float16);
    floating_point<float>(Machine::float32);
    floating_point<double>(Machine::float64);
    floating_point<long double>(Machine::float80);
    floating_point<Float128>(Machine::float128);
  }

  template <typename Part>
  constexpr void complex(Machine machine) {
    set_loops<Complex<Part>, Code::sum, Code::product>(machine);
  }
  constexpr void complexes() {
    complex<Half>(Machine::complex16);
    complex<float>(Machine::complex32);
    complex<double>(Machine::complex64);
    complex<long double>(Machine::complex80);
    complex<Float128>(Machine::complex128);
  }

  template <typename Bits>
  constexpr void logical(Machine machine) {
    set_loops<Logical<Bits>, Code::logical_and, Code::logical_or, Code::logical_xor>(machine);
  }
  constexpr void logicals() {
    logical<std::uint8_t>(Machine::boolean8);
    logical<std::uint16_t>(Machine::boolean16);
    logical<std::uint32_t>(Machine::boolean32);
    logical<std::uint64_t>(Machine::boolean64);
    logical<Int128>(Machine::boolean128);
  }

  template <typename Value, typename Index = int>
  constexpr void pair(Machine machine) {
    set_common<ValueIndex<Value, Index>>(machine);
    set(Code::minimum_location, machine, loop<Code::minimum_location, ValueIndex<Value, Index>>);
    set(Code::maximum_location, machine, loop<Code::maximum_location, ValueIndex<Value, Index>>);
  }
  constexpr void pairs() {
    pair<float>(Machine::float_int);
    pair<double>(Machine::double_int);
    pair<long>(Machine::long_int);
    pair<int>(Machine::int_int);
    pair<short>(Machine::short_int);
    pair<long double>(Machine::long_double_int);
    pair<float, float>(Machine::float_float);
    pair<double, double>(Machine::double_double);
  }

  KernelTable table_ = {};
};

}  // namespace weft::data::WEFT_KERNELS
