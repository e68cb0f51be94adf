// Reduction operations: MPI's own under plain names, and any stateless function of two values.
#pragma once

#include "error.hpp"
#include "types.hpp"

#include <type_traits>
#include <utility>

namespace weft {

// A predefined operation; cheap to copy, owns nothing.
struct Op {
  MPI_Op (*handle)();
};

namespace op {
inline constexpr Op sum{[]() -> MPI_Op { return MPI_SUM; }};
inline constexpr Op product{[]() -> MPI_Op { return MPI_PROD; }};
inline constexpr Op minimum{[]() -> MPI_Op { return MPI_MIN; }};
inline constexpr Op maximum{[]() -> MPI_Op { return MPI_MAX; }};
inline constexpr Op logical_and{[]() -> MPI_Op { return MPI_LAND; }};
inline constexpr Op logical_or{[]() -> MPI_Op { return MPI_LOR; }};
inline constexpr Op logical_xor{[]() -> MPI_Op { return MPI_LXOR; }};
inline constexpr Op bit_and{[]() -> MPI_Op { return MPI_BAND; }};
inline constexpr Op bit_or{[]() -> MPI_Op { return MPI_BOR; }};
inline constexpr Op bit_xor{[]() -> MPI_Op { return MPI_BXOR; }};
// On Located values; among equal values the lowest index wins.
inline constexpr Op minimum_location{[]() -> MPI_Op { return MPI_MINLOC; }};
inline constexpr Op maximum_location{[]() -> MPI_Op { return MPI_MAXLOC; }};
}  // namespace op

enum class Order { any, by_rank };

// An operation from a function (T left, T right) -> T without captures, `left` from the lower ranks:
//     weft::Operation longest([](double a, double b) { return std::hypot(a, b); });
// T must be one element of its datatype (no std::array, no type as_bytes). The function must be associative and must not
// throw; with Order::by_rank it need not be commutative. Freed with the object.
template <class Function>
class Operation {
  template <class R, class A, class B>
  static std::remove_cvref_t<A> argument_of(R (Function::*)(A, B) const);

 public:
  using Value = decltype(argument_of(&Function::operator()));
  static_assert(std::is_empty_v<Function> && std::is_default_constructible_v<Function>, "the function must capture nothing");
  static_assert(Transferable<Value> && elements_per_value<Value>() == 1, "the value must be one element of its datatype");

  explicit Operation(Function, Order order = Order::any)
  {
    check(MPI_Op_create(apply, order == Order::any, &handle_), "MPI_Op_create");
  }
  Operation(Operation&& other) noexcept : handle_(std::exchange(other.handle_, MPI_OP_NULL)) {}
  Operation& operator=(Operation&& other) noexcept
  {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Operation()
  {
    if (handle_ != MPI_OP_NULL) MPI_Op_free(&handle_);
  }

  [[nodiscard]] MPI_Op handle() const { return handle_; }

 private:
  static void apply(void* in, void* inout, int* count, MPI_Datatype*)
  {
    const auto* left = static_cast<const Value*>(in);
    auto* right = static_cast<Value*>(inout);
    for (int i = 0; i < *count; ++i) right[i] = Function{}(left[i], right[i]);
  }

  MPI_Op handle_ = MPI_OP_NULL;
};

namespace detail {
inline MPI_Op handle_of(const Op& operation) { return operation.handle(); }
template <class Function>
MPI_Op handle_of(const Operation<Function>& operation)
{
  return operation.handle();
}
}  // namespace detail

// weft::op::sum and its kind, or a weft::Operation.
template <class T>
concept Reduction = requires(const T& operation) { detail::handle_of(operation); };

}  // namespace weft
