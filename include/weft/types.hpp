// C++ types as MPI datatypes, chosen at compile time. Known without help: arithmetic types, bool, std::byte, std::complex,
// enumerations, Located (a value and where it is, for minimum and maximum with location), and std::array of these.
// Other trivially copyable types travel as bytes once they say so:
//     template <> inline constexpr bool weft::as_bytes<Particle> = true;
// Bytes can be sent and received but not reduced, and mean the same only between machines with the same data layout.
#pragma once

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft {

template <class T>
inline constexpr bool as_bytes = false;

// A value and its place, as op::minimum_location and op::maximum_location want it. T: float, double, long double, short,
// int or long.
template <class T>
struct Located {
  T value;
  int index;
  friend bool operator==(const Located&, const Located&) = default;
};

namespace detail {

template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};

template <class T>
struct IsLocated : std::false_type {};
template <class T>
struct IsLocated<Located<T>> : std::true_type {};

template <class T>
inline constexpr bool is_complex =
  std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>> || std::is_same_v<T, std::complex<long double>>;

template <class T>
constexpr bool is_known()
{
  if constexpr (std::is_const_v<T> || std::is_volatile_v<T>) return is_known<std::remove_cv_t<T>>();
  else if constexpr (IsArray<T>::value) return is_known<typename T::value_type>();
  else return std::is_arithmetic_v<T> || std::is_enum_v<T> || is_complex<T> || IsLocated<T>::value || as_bytes<T>;
}

template <class T>
MPI_Datatype integer_type()
{
  // by width and sign, so that long and long long, which differ by platform, need no case each
  if constexpr (std::is_signed_v<T>) {
    if constexpr (sizeof(T) == 1) return MPI_INT8_T;
    else if constexpr (sizeof(T) == 2) return MPI_INT16_T;
    else if constexpr (sizeof(T) == 4) return MPI_INT32_T;
    else return MPI_INT64_T;
  } else {
    if constexpr (sizeof(T) == 1) return MPI_UINT8_T;
    else if constexpr (sizeof(T) == 2) return MPI_UINT16_T;
    else if constexpr (sizeof(T) == 4) return MPI_UINT32_T;
    else return MPI_UINT64_T;
  }
}

template <class T>
MPI_Datatype located_type()
{
  if constexpr (std::is_same_v<T, float>) return MPI_FLOAT_INT;
  else if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE_INT;
  else if constexpr (std::is_same_v<T, long double>) return MPI_LONG_DOUBLE_INT;
  else if constexpr (std::is_same_v<T, short>) return MPI_SHORT_INT;
  else if constexpr (std::is_same_v<T, int>) return MPI_2INT;
  else {
    static_assert(std::is_same_v<T, long>, "MPI has no pair of this value type and an index");
    return MPI_LONG_INT;
  }
}

}  // namespace detail

// A type whose values can be sent: see the head of this file.
template <class T>
concept Transferable = std::is_trivially_copyable_v<std::remove_cvref_t<T>> && detail::is_known<std::remove_cvref_t<T>>();

// MPI's datatype for T, or for T's elements where T is a std::array, or MPI_BYTE for types as_bytes.
template <Transferable T>
MPI_Datatype datatype()
{
  if constexpr (as_bytes<T> || std::is_same_v<T, std::byte>) return MPI_BYTE;
  else if constexpr (detail::IsArray<T>::value) return datatype<typename T::value_type>();
  else if constexpr (detail::IsLocated<T>::value) return detail::located_type<decltype(T::value)>();
  else if constexpr (std::is_enum_v<T>) return datatype<std::underlying_type_t<T>>();
  else if constexpr (std::is_same_v<T, bool>) return MPI_CXX_BOOL;
  else if constexpr (std::is_same_v<T, char>) return MPI_CHAR;
  else if constexpr (std::is_same_v<T, wchar_t>) return MPI_WCHAR;
  else if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  else if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, long double>) return MPI_LONG_DOUBLE;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return MPI_CXX_FLOAT_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return MPI_CXX_DOUBLE_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<long double>>) return MPI_CXX_LONG_DOUBLE_COMPLEX;
  else return detail::integer_type<T>();
}

// How many elements of datatype<T>() one T is made of.
template <Transferable T>
constexpr std::size_t elements_per_value()
{
  if constexpr (as_bytes<T>) return sizeof(T);
  else if constexpr (detail::IsArray<T>::value) return std::tuple_size_v<T> * elements_per_value<typename T::value_type>();
  else return 1;
}

}  // namespace weft
