// The predefined operations, which types they take, and how an operation is applied to a buffer. Called by coll/,
// remote/ and api/. The loops themselves are in kernels.hpp.
#include "data/operation.hpp"

#include <algorithm>
#include <climits>
#include <new>

#include "data/pack.hpp"

namespace weft::data {
namespace {

constexpr std::uint32_t first_number = 0x20;  // MPI_OP_NULL
constexpr std::uint32_t number_limit = 0x40;

struct PredefinedOperations {
  Operation of[number_limit - first_number];
};

constexpr PredefinedOperations make_all() {
  PredefinedOperations all = {};
  const auto add = [&all](std::uint32_t number, OperationCode code, const char* name) {
    Operation& operation = all.of[number - first_number];
    operation.code = code;
    operation.commutative = code != OperationCode::replace && code != OperationCode::no_op;
    operation.number = number;
    operation.name = name;
  };
  using C = OperationCode;
  add(0x21, C::sum, "MPI_SUM");
  add(0x22, C::minimum, "MPI_MIN");
  add(0x23, C::maximum, "MPI_MAX");
  add(0x24, C::product, "MPI_PROD");
  add(0x28, C::bitwise_and, "MPI_BAND");
  add(0x29, C::bitwise_or, "MPI_BOR");
  add(0x2a, C::bitwise_xor, "MPI_BXOR");
  add(0x30, C::logical_and, "MPI_LAND");
  add(0x31, C::logical_or, "MPI_LOR");
  add(0x32, C::logical_xor, "MPI_LXOR");
  add(0x38, C::minimum_location, "MPI_MINLOC");
  add(0x39, C::maximum_location, "MPI_MAXLOC");
  add(0x3c, C::replace, "MPI_REPLACE");
  add(0x3d, C::no_op, "MPI_NO_OP");
  return all;
}

constinit PredefinedOperations predefined_operations = make_all();

Operation* free_operations = nullptr;  // freed ones keep their memory, so that api/ recognises a stale handle

Operation* new_operation(bool commutative) {
  Operation* operation = free_operations;
  if (operation != nullptr) {
    free_operations = const_cast<Operation*>(operation->next_free);
    *operation = Operation{};
  } else {
    operation = new (std::nothrow) Operation;
  }
  if (operation != nullptr) operation->commutative = commutative;
  return operation;
}

void call_user(const Operation* operation, const void* in, void* inout, std::int64_t count, const Datatype* type) {
  auto* handle = reinterpret_cast<MPI_ABI_Datatype*>(type->handle());
  char* left = const_cast<char*>(static_cast<const char*>(in));
  char* right = static_cast<char*>(inout);
  if (operation->function_large != nullptr) {
    operation->function_large(left, right, &count, &handle);
    return;
  }
  while (count > 0) {
    int length = static_cast<int>(std::min<std::int64_t>(count, INT_MAX));
    const std::int64_t done = length;
    operation->function(left, right, &length, &handle);
    count -= done;
    left += done * type->extent;
    right += done * type->extent;
  }
}

// A derived type: both buffers have the same shape, so the runs of one lead to the other's.
void apply_in_runs(Kernel kernel, const char* in, char* inout, std::int64_t count, const Datatype* type) {
  constexpr int at_once = 64;
  iovec pieces[at_once];
  const std::int64_t bytes = packed_bytes(type, count);
  for (std::int64_t done = 0; done < bytes;) {
    const int found = runs(type, in, count, done, pieces, at_once);
    for (int i = 0; i < found; ++i) {
      const char* piece = static_cast<const char*>(pieces[i].iov_base);
      const auto length = static_cast<std::int64_t>(pieces[i].iov_len);
      kernel(piece, inout + (piece - in), length / type->basic->size);
      done += length;
    }
  }
}

// A type made of pairs with gaps: one pair at a time, through its packed form.
void apply_by_pairs(Kernel kernel, const char* in, char* inout, std::int64_t count, const Datatype* type) {
  struct alignas(16) Room {
    char bytes[64];
  };
  const Datatype* pair = type->basic;
  Room packed, left, right;
  const std::int64_t bytes = packed_bytes(type, count);
  for (std::int64_t done = 0; done < bytes; done += pair->size) {
    pack(type, in, count, done, packed.bytes, pair->size);
    unpack(pair, left.bytes, 1, 0, packed.bytes, pair->size);
    pack(type, inout, count, done, packed.bytes, pair->size);
    unpack(pair, right.bytes, 1, 0, packed.bytes, pair->size);
    kernel(left.bytes, right.bytes, 1);
    pack(pair, right.bytes, 1, 0, packed.bytes, pair->size);
    unpack(type, inout, count, done, packed.bytes, pair->size);
  }
}

}  // namespace

Operation* predefined_operation(std::uintptr_t number) {
  if (number - first_number >= number_limit - first_number) return nullptr;
  Operation* operation = &predefined_operations.of[number - first_number];
  return operation->number == 0 ? nullptr : operation;
}

Operation* make_operation(UserFunction function, bool commutative) {
  Operation* operation = new_operation(commutative);
  if (operation != nullptr) operation->function = function;
  return operation;
}

Operation* make_operation(UserFunctionLarge function, bool commutative) {
  Operation* operation = new_operation(commutative);
  if (operation != nullptr) operation->function_large = function;
  return operation;
}

void destroy(Operation* operation) {
  *operation = Operation{};
  operation->magic = 0;
  operation->next_free = free_operations;
  free_operations = operation;
}

bool allowed(const Operation* operation, const Datatype* type) {
  using C = OperationCode;
  const Family family = type->family;
  const bool integer = family == Family::c_integer || family == Family::character || family == Family::fortran_integer ||
                       family == Family::language;
  switch (operation->code) {
    case C::sum:
    case C::product: return integer || family == Family::floating || family == Family::complex;
    case C::minimum:
    case C::maximum: return integer || family == Family::floating;
    case C::bitwise_and:
    case C::bitwise_or:
    case C::bitwise_xor: return integer || family == Family::byte;
    case C::logical_and:
    case C::logical_or:
    case C::logical_xor: return (integer && family != Family::fortran_integer) || family == Family::logical;
    case C::minimum_location:
    case C::maximum_location: return family == Family::pair;
    case C::replace:
    case C::no_op: return false;
    case C::user: return true;
  }
  return false;
}

void apply(const Operation* operation, const void* in, void* inout, std::int64_t count, const Datatype* type) {
  if (count <= 0) return;
  if (const Kernel loop = kernel(operation, type); loop != nullptr) return loop(in, inout, count);
  if (operation->code == OperationCode::user) return call_user(operation, in, inout, count, type);
  if (operation->code == OperationCode::no_op) return;
  if (operation->code == OperationCode::replace) {
    copy(type, in, count, type, inout, count);
    return;
  }
  if (type->basic == nullptr) return;
  const Kernel loop = kernel(operation, type->basic);
  if (loop == nullptr) return;
  const auto apply_derived = type->basic->extent == type->basic->size ? apply_in_runs : apply_by_pairs;
  apply_derived(loop, static_cast<const char*>(in), static_cast<char*>(inout), count, type);
}

}  // namespace weft::data
