// What a call reads or writes: one value, or a contiguous range of values (vector, span, array, string, ...).
#pragma once

#include "types.hpp"

#include <concepts>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>

namespace weft {

// A contiguous, sized range of transferable values.
template <class R>
concept Range = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && Transferable<std::ranges::range_value_t<R>>;

// One transferable value that is not itself a range.
template <class T>
concept Single = Transferable<T> && !Range<T>;

template <class T>
concept Sendable = Range<T> || Single<T>;

// Not a temporary that owns its elements: those would be gone before a non-blocking call ends.
template <class T>
concept Lasting = std::is_lvalue_reference_v<T> || std::ranges::borrowed_range<T>;

namespace detail {

template <class T>
struct ValueOf {
  using type = std::remove_cvref_t<T>;
};
template <Range T>
struct ValueOf<T> {
  using type = std::ranges::range_value_t<T>;
};

}  // namespace detail

// The type of the values in a range, or of the one value.
template <Sendable T>
using value_of = typename detail::ValueOf<T>::type;

// Address, number of MPI elements and datatype, as the C functions want them.
template <class Address>
struct Elements {
  Address address;
  MPI_Count count;
  MPI_Datatype type;
};

template <class T>
  requires Sendable<T>
auto elements_of(T&& data)
{
  using Value = value_of<T>;
  const auto each = static_cast<MPI_Count>(elements_per_value<Value>());
  if constexpr (Range<T>) {
    using Address = std::conditional_t<std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<T>>>, const void*, void*>;
    return Elements<Address>{std::ranges::data(data), static_cast<MPI_Count>(std::ranges::size(data)) * each, datatype<Value>()};
  } else {
    using Address = std::conditional_t<std::is_const_v<std::remove_reference_t<T>>, const void*, void*>;
    return Elements<Address>{std::addressof(data), each, datatype<Value>()};
  }
}

// Something a call may write to.
template <class T>
concept Writable = Sendable<T> && requires(T&& data) {
  { elements_of(data).address } -> std::convertible_to<void*>;
};

namespace detail {

// Throws unless two sides agree; the message names both sizes.
inline void require_size(MPI_Count got, MPI_Count wanted, const char* call)
{
  if (got != wanted)
    throw std::invalid_argument(std::string(call) + ": a buffer of " + std::to_string(got) + " elements where " +
                                std::to_string(wanted) + " are needed");
}

}  // namespace detail

}  // namespace weft
