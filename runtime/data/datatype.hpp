// A datatype: where the bytes of one element lie. Made by the constructors below, immutable once committed, shared by
// reference count. The constructors are called by api/; every floor above reads the plain fields and packs with pack.hpp.
// Threads: one at a time (the api lock). Predefined types live in a constant table and ignore the count.
// Invariants: size = packed bytes of one element; bounds follow the standard's typemap rules (explicit bounds of a
// resized type stick to every type built from it); the program exists when committed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "os/status.hpp"

namespace weft::data {

struct Datatype;
struct Program;

// What a predefined type is for the machine. The kernels of operation.hpp are indexed by it.
enum class Machine : std::uint8_t {
  none,  // derived types, and types no operation takes
  int8, int16, int32, int64, int128,
  uint8, uint16, uint32, uint64,
  float16, float32, float64, float80, float128,
  complex16, complex32, complex64, complex80, complex128,  // named by the bits of one part
  boolean8, boolean16, boolean32, boolean64, boolean128,
  byte,
  float_int, double_int, long_int, int_int, short_int, long_double_int, float_float, double_double,
  count_
};

// The standard's groups of types, which say what operations are allowed.
enum class Family : std::uint8_t {
  none, c_integer, fortran_integer, floating, logical, complex, byte, language, pair,
  character,  // MPI_CHAR: the standard lets no operation take it
};

// How a derived type was made, kept for bounds, element counts and building the program.
struct Recipe {
  // `count` groups at `stride` bytes; each group is the list of blocks. A block is `length` consecutive elements
  // (at their extent) of a type. One type for all blocks when `types` has a single entry.
  std::int64_t count = 1;
  std::int64_t stride = 0;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> displacements;
  std::vector<const Datatype*> types;  // retained

  const Datatype* type_of(std::size_t block) const { return types[types.size() == 1 ? 0 : block]; }
};

// What MPI_Type_get_envelope and MPI_Type_get_contents answer: the call and its arguments, as they were given.
struct Contents {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> large_counts;
  std::vector<const Datatype*> types;  // retained
};

struct Datatype {
  static constexpr std::uint32_t magic_value = 0x74797065;  // "type"

  // hot: read inline by every floor
  std::int64_t size = 0;
  std::int64_t extent = 0;
  std::int64_t lower_bound = 0;
  std::int64_t true_lower_bound = 0;
  std::int64_t true_extent = 0;
  bool contiguous = false;  // n elements at an address are exactly the n * size bytes from that address on, in order
  bool committed = false;
  Machine machine = Machine::none;
  Family family = Family::none;
  std::uint32_t magic = magic_value;   // what api/ knows a live handle by
  std::uint32_t number = 0;            // predefined: the handle's value in mpi.h; 0: a derived type
  const Program* program = nullptr;    // what pack.hpp runs; null: one block of `size` bytes at true_lower_bound
  const Datatype* basic = nullptr;     // the one predefined type all data is made of; null: several, or none
  std::int64_t elements = 0;           // basic elements in one element of this type (a pair counts two)
  mutable std::int64_t references = 1;

  // cold
  std::int64_t alignment = 1;
  bool lower_marked = false;           // explicit bounds somewhere inside: they alone decide
  bool upper_marked = false;
  const Recipe* recipe = nullptr;
  const Contents* contents = nullptr;
  const char* given_name = "";         // predefined: the standard's name
  std::string* name = nullptr;         // set by MPI_Type_set_name
  void* attributes = nullptr;          // comm/'s attribute set
  // called with the type before it dies, so that comm/ may drop the attributes; may be null
  void (*on_destroy)(Datatype*) = nullptr;

  std::int64_t upper_bound() const { return lower_bound + extent; }
  bool predefined() const { return number != 0; }
  // The bits of the MPI_Datatype: a small integer, or this object's address.
  std::uintptr_t handle() const { return number != 0 ? number : reinterpret_cast<std::uintptr_t>(this); }
};

void destroy(Datatype* type);

inline void retain(const Datatype* type) {
  if (type->number == 0) ++type->references;
}
inline void release(const Datatype* type) {
  if (type->number == 0 && --type->references == 0) destroy(const_cast<Datatype*>(type));
}

// ---- predefined types ----
inline constexpr std::uint32_t first_predefined = 0x200;
inline constexpr std::uint32_t predefined_limit = 0x400;
inline constexpr std::size_t predefined_count = 71;  // with the unused first
struct PredefinedTypes {
  Datatype types[predefined_count];
};
extern PredefinedTypes predefined_types;
// By handle value; numbers that name no type have the first, unused one, which nothing may be sent with.
extern const std::array<Datatype*, predefined_limit> predefined_by_number;
inline Datatype& no_type() { return predefined_types.types[0]; }

// The predefined type of a handle value in mpi.h; null for MPI_DATATYPE_NULL and for values that name none.
inline Datatype* predefined(std::uintptr_t number) {
  if (number >= predefined_limit) return nullptr;
  Datatype* type = predefined_by_number[number];
  return type != &no_type() ? type : nullptr;
}
// All of them, for tests and tools.
inline std::span<Datatype> all_predefined() { return std::span(predefined_types.types).subspan(1); }

// The handle values other floors name most.
namespace number {
inline constexpr std::uint32_t packed = 0x207, int_ = 0x209, byte = 0x247, char_ = 0x243, double_ = 0x214, int32 = 0x250,
                               int64 = 0x258, uint64 = 0x259;
}

// ---- constructors: uncommitted, with one reference; null when a size or bound passes 64 bits or memory is out ----
using Counts = std::span<const std::int64_t>;
using Types = std::span<const Datatype* const>;
enum class Order : std::uint8_t { c, fortran };
enum class Distribution : std::uint8_t { none, block, cyclic };
inline constexpr std::int64_t default_distribution_argument = -1;  // MPI_DISTRIBUTE_DFLT_DARG

Datatype* make_contiguous(std::int64_t count, const Datatype* element);
Datatype* make_vector(std::int64_t count, std::int64_t length, std::int64_t stride_elements, const Datatype* element);
Datatype* make_hvector(std::int64_t count, std::int64_t length, std::int64_t stride_bytes, const Datatype* element);
Datatype* make_indexed(Counts lengths, Counts displacements_elements, const Datatype* element);
Datatype* make_hindexed(Counts lengths, Counts displacements_bytes, const Datatype* element);
Datatype* make_indexed_block(std::int64_t length, Counts displacements_elements, const Datatype* element);
Datatype* make_hindexed_block(std::int64_t length, Counts displacements_bytes, const Datatype* element);
Datatype* make_struct(Counts lengths, Counts displacements_bytes, Types types);
Datatype* make_resized(const Datatype* element, std::int64_t lower_bound, std::int64_t extent);
Datatype* make_duplicate(const Datatype* element);  // committed if the element is
Datatype* make_subarray(Counts sizes, Counts subsizes, Counts starts, Order order, const Datatype* element);
Datatype* make_darray(std::int64_t processes, std::int64_t rank, Counts sizes, std::span<const Distribution> distributions,
                      Counts arguments, Counts grid, Order order, const Datatype* element);

// Builds the program; needed before data is moved. Idempotent.
Status commit(Datatype* type);

// ---- questions ----
// Whole elements in so many bytes: -1 when the bytes end inside one (MPI_Get_count says MPI_UNDEFINED).
std::int64_t whole_count(const Datatype* type, std::int64_t bytes);
// Basic elements in so many bytes of consecutive elements: -1 when the bytes end inside a basic element.
std::int64_t basic_count(const Datatype* type, std::int64_t bytes);
// MPI_Status_set_elements' other way: the bytes of so many basic elements; -1 when that passes 64 bits.
std::int64_t bytes_of_basic(const Datatype* type, std::int64_t elements);

}  // namespace weft::data
