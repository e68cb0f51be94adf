// The table of predefined types: constant data, no start-up code. Looked up by handle value from every floor.
// Numbers are those of mpi.h, whose bits 3 to 5 give the size for types of fixed size. Fortran's default types are those
// of a compiler without -fdefault-integer-8 and the like.
#include <array>
#include <cstddef>

#include "data/datatype.hpp"
#include "data/program.hpp"

namespace weft::data {
namespace {

constexpr Node block(std::int64_t offset, std::int64_t bytes, std::int64_t start) {
  Node node;
  node.offset = offset;
  node.bytes = bytes;
  node.start = start;
  return node;
}

// Pairs with a gap need a program; those without are one block.
template <typename Value>
struct Pair {
  Value value;
  int index;
};
template <typename Value>
constexpr Node pair_nodes[2] = {block(0, sizeof(Value), 0), block(offsetof(Pair<Value>, index), sizeof(int), sizeof(Value))};
template <typename Value>
constexpr Program pair_program = {pair_nodes<Value>, 2, nullptr, nullptr};

constexpr Datatype plain(std::uint32_t number, const char* name, std::int64_t size, std::int64_t alignment, Machine machine,
                         Family family) {
  Datatype type;
  type.size = type.extent = type.true_extent = size;
  type.contiguous = type.committed = true;
  type.machine = machine;
  type.family = family;
  type.number = number;
  type.elements = 1;
  type.alignment = alignment;
  type.given_name = name;
  return type;
}

template <typename Value>
constexpr Datatype pair(std::uint32_t number, const char* name, Machine machine) {
  Datatype type = plain(number, name, sizeof(Value) + sizeof(int), alignof(Pair<Value>), machine, Family::pair);
  type.extent = sizeof(Pair<Value>);
  type.true_extent = offsetof(Pair<Value>, index) + sizeof(int);
  type.elements = 2;
  if (type.extent != type.size) {
    type.contiguous = false;
    if (type.true_extent != type.size) type.program = &pair_program<Value>;
  }
  return type;
}

constexpr Datatype twin(std::uint32_t number, const char* name, std::int64_t part, Machine machine) {
  Datatype type = plain(number, name, 2 * part, part, machine, Family::pair);
  type.elements = 2;
  return type;
}

using M = Machine;
using F = Family;

constexpr PredefinedTypes make_all() {
  PredefinedTypes all = {{
      Datatype{},  // index 0: no type
      plain(0x201, "MPI_AINT", 8, 8, M::int64, F::language),
      plain(0x202, "MPI_COUNT", 8, 8, M::int64, F::language),
      plain(0x203, "MPI_OFFSET", 8, 8, M::int64, F::language),
      plain(0x207, "MPI_PACKED", 1, 1, M::none, F::none),
      plain(0x208, "MPI_SHORT", 2, 2, M::int16, F::c_integer),
      plain(0x209, "MPI_INT", 4, 4, M::int32, F::c_integer),
      plain(0x20a, "MPI_LONG", 8, 8, M::int64, F::c_integer),
      plain(0x20b, "MPI_LONG_LONG_INT", 8, 8, M::int64, F::c_integer),
      plain(0x20c, "MPI_UNSIGNED_SHORT", 2, 2, M::uint16, F::c_integer),
      plain(0x20d, "MPI_UNSIGNED", 4, 4, M::uint32, F::c_integer),
      plain(0x20e, "MPI_UNSIGNED_LONG", 8, 8, M::uint64, F::c_integer),
      plain(0x20f, "MPI_UNSIGNED_LONG_LONG", 8, 8, M::uint64, F::c_integer),
      plain(0x210, "MPI_FLOAT", 4, 4, M::float32, F::floating),
      plain(0x212, "MPI_C_COMPLEX", 8, 4, M::complex32, F::complex),
      plain(0x213, "MPI_CXX_FLOAT_COMPLEX", 8, 4, M::complex32, F::complex),
      plain(0x214, "MPI_DOUBLE", 8, 8, M::float64, F::floating),
      plain(0x216, "MPI_C_DOUBLE_COMPLEX", 16, 8, M::complex64, F::complex),
      plain(0x217, "MPI_CXX_DOUBLE_COMPLEX", 16, 8, M::complex64, F::complex),
      plain(0x218, "MPI_LOGICAL", 4, 4, M::boolean32, F::logical),
      plain(0x219, "MPI_INTEGER", 4, 4, M::int32, F::fortran_integer),
      plain(0x21a, "MPI_REAL", 4, 4, M::float32, F::floating),
      plain(0x21b, "MPI_COMPLEX", 8, 4, M::complex32, F::complex),
      plain(0x21c, "MPI_DOUBLE_PRECISION", 8, 8, M::float64, F::floating),
      plain(0x21d, "MPI_DOUBLE_COMPLEX", 16, 8, M::complex64, F::complex),
      plain(0x21e, "MPI_CHARACTER", 1, 1, M::none, F::none),
      plain(0x220, "MPI_LONG_DOUBLE", 16, 16, M::float80, F::floating),
      plain(0x224, "MPI_C_LONG_DOUBLE_COMPLEX", 32, 16, M::complex80, F::complex),
      plain(0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX", 32, 16, M::complex80, F::complex),
      pair<float>(0x228, "MPI_FLOAT_INT", M::float_int),
      pair<double>(0x229, "MPI_DOUBLE_INT", M::double_int),
      pair<long>(0x22a, "MPI_LONG_INT", M::long_int),
      pair<int>(0x22b, "MPI_2INT", M::int_int),
      pair<short>(0x22c, "MPI_SHORT_INT", M::short_int),
      pair<long double>(0x22d, "MPI_LONG_DOUBLE_INT", M::long_double_int),
      twin(0x230, "MPI_2REAL", 4, M::float_float),
      twin(0x231, "MPI_2DOUBLE_PRECISION", 8, M::double_double),
      twin(0x232, "MPI_2INTEGER", 4, M::int_int),
      plain(0x238, "MPI_C_BOOL", 1, 1, M::boolean8, F::logical),
      plain(0x239, "MPI_CXX_BOOL", 1, 1, M::boolean8, F::logical),
      plain(0x23c, "MPI_WCHAR", 4, 4, M::none, F::none),
      plain(0x240, "MPI_INT8_T", 1, 1, M::int8, F::c_integer),
      plain(0x241, "MPI_UINT8_T", 1, 1, M::uint8, F::c_integer),
      plain(0x243, "MPI_CHAR", 1, 1, M::int8, F::character),
      plain(0x244, "MPI_SIGNED_CHAR", 1, 1, M::int8, F::c_integer),
      plain(0x245, "MPI_UNSIGNED_CHAR", 1, 1, M::uint8, F::c_integer),
      plain(0x247, "MPI_BYTE", 1, 1, M::byte, F::byte),
      plain(0x248, "MPI_INT16_T", 2, 2, M::int16, F::c_integer),
      plain(0x249, "MPI_UINT16_T", 2, 2, M::uint16, F::c_integer),
      plain(0x250, "MPI_INT32_T", 4, 4, M::int32, F::c_integer),
      plain(0x251, "MPI_UINT32_T", 4, 4, M::uint32, F::c_integer),
      plain(0x258, "MPI_INT64_T", 8, 8, M::int64, F::c_integer),
      plain(0x259, "MPI_UINT64_T", 8, 8, M::uint64, F::c_integer),
      plain(0x2c0, "MPI_LOGICAL1", 1, 1, M::boolean8, F::logical),
      plain(0x2c1, "MPI_INTEGER1", 1, 1, M::int8, F::fortran_integer),
      plain(0x2c8, "MPI_LOGICAL2", 2, 2, M::boolean16, F::logical),
      plain(0x2c9, "MPI_INTEGER2", 2, 2, M::int16, F::fortran_integer),
      plain(0x2ca, "MPI_REAL2", 2, 2, M::float16, F::floating),
      plain(0x2d0, "MPI_LOGICAL4", 4, 4, M::boolean32, F::logical),
      plain(0x2d1, "MPI_INTEGER4", 4, 4, M::int32, F::fortran_integer),
      plain(0x2d2, "MPI_REAL4", 4, 4, M::float32, F::floating),
      plain(0x2d3, "MPI_COMPLEX4", 4, 2, M::complex16, F::complex),
      plain(0x2d8, "MPI_LOGICAL8", 8, 8, M::boolean64, F::logical),
      plain(0x2d9, "MPI_INTEGER8", 8, 8, M::int64, F::fortran_integer),
      plain(0x2da, "MPI_REAL8", 8, 8, M::float64, F::floating),
      plain(0x2db, "MPI_COMPLEX8", 8, 4, M::complex32, F::complex),
      plain(0x2e0, "MPI_LOGICAL16", 16, 16, M::boolean128, F::logical),
      plain(0x2e1, "MPI_INTEGER16", 16, 16, M::int128, F::fortran_integer),
      plain(0x2e2, "MPI_REAL16", 16, 16, M::float128, F::floating),
      plain(0x2e3, "MPI_COMPLEX16", 16, 8, M::complex64, F::complex),
      plain(0x2eb, "MPI_COMPLEX32", 32, 16, M::complex128, F::complex),
  }};
  for (std::size_t i = 1; i < predefined_count; ++i) all.types[i].basic = &predefined_types.types[i];
  return all;
}

constexpr auto make_index() {
  const PredefinedTypes all = make_all();
  std::array<Datatype*, predefined_limit> index{};
  index.fill(&predefined_types.types[0]);
  for (std::size_t i = 1; i < predefined_count; ++i) index[all.types[i].number] = &predefined_types.types[i];
  return index;
}

}  // namespace

constinit PredefinedTypes predefined_types = make_all();
constinit const std::array<Datatype*, predefined_limit> predefined_by_number = make_index();

}  // namespace weft::data
