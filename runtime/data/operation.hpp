// Reduction operations: inout[i] = in[i] op inout[i]. Predefined ones are a table of kernels, [operation][machine type];
// user ones call the user's function. Called by coll/, remote/ and api/. Threads: any for predefined ones.
// Buffers need no alignment (they may be message slots). Each element is computed by itself, in one order: the same input
// gives the same bits wherever the buffers lie.
#pragma once

#include <cstdint>

#include "data/datatype.hpp"

struct MPI_ABI_Datatype;  // mpi.h's handle type, as user functions get it

namespace weft::data {

enum class OperationCode : std::uint8_t {
  sum, minimum, maximum, product,
  bitwise_and, bitwise_or, bitwise_xor,
  logical_and, logical_or, logical_xor,
  minimum_location, maximum_location,
  replace, no_op,  // accumulate only
  count_,
  user = count_
};

using UserFunction = void (*)(void* in, void* inout, int* length, MPI_ABI_Datatype** datatype);
using UserFunctionLarge = void (*)(void* in, void* inout, std::int64_t* length, MPI_ABI_Datatype** datatype);
using Kernel = void (*)(const void* in, void* inout, std::int64_t count);

struct Operation {
  static constexpr std::uint32_t magic_value = 0x6f706572;  // "oper"

  std::uint32_t magic = magic_value;  // what api/ knows a live handle by
  OperationCode code = OperationCode::user;
  bool commutative = false;
  std::uint32_t number = 0;  // predefined: the handle's value in mpi.h; 0: a user operation
  UserFunction function = nullptr;
  UserFunctionLarge function_large = nullptr;
  const char* name = "user";
  mutable std::int64_t references = 1;
  const Operation* next_free = nullptr;

  bool predefined() const { return number != 0; }
  bool accumulate_only() const { return code == OperationCode::replace || code == OperationCode::no_op; }
  std::uintptr_t handle() const { return number != 0 ? number : reinterpret_cast<std::uintptr_t>(this); }
};

// The predefined operation of a handle value in mpi.h; null for MPI_OP_NULL and for values that name none.
Operation* predefined_operation(std::uintptr_t number);

Operation* make_operation(UserFunction function, bool commutative);
Operation* make_operation(UserFunctionLarge function, bool commutative);
void destroy(Operation* operation);
inline void retain(const Operation* operation) {
  if (operation->number == 0) ++operation->references;
}
inline void release(const Operation* operation) {
  if (operation->number == 0 && --operation->references == 0) destroy(const_cast<Operation*>(operation));
}

// Null where no loop exists. Chosen at start for this processor's vector instructions; the results are the same bits.
struct KernelTable {
  Kernel of[static_cast<int>(OperationCode::count_)][static_cast<int>(Machine::count_)];
};
extern const KernelTable* kernels;

// The standard's table: may this operation be used in a reduction on this type? User operations take any type; MPI_CHAR
// counts as an integer, as codes in the field expect. For accumulate, replace and no_op take any type made of one basic.
bool allowed(const Operation* operation, const Datatype* type);

// The loop for elements of a predefined type; null when there is none: user operations, derived types (look at
// type->basic), pairs that aren't allowed.
inline Kernel kernel(const Operation* operation, const Datatype* type) {
  if (operation->code == OperationCode::user) return nullptr;
  return kernels->of[static_cast<int>(operation->code)][static_cast<int>(type->machine)];
}

// inout = in op inout, for `count` elements. The pair is allowed(), or the type is derived from one predefined type for
// which it is (accumulate); then each basic element is combined where it lies.
void apply(const Operation* operation, const void* in, void* inout, std::int64_t count, const Datatype* type);

}  // namespace weft::data
