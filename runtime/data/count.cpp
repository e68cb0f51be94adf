// How many elements, whole or basic, so many bytes are: what MPI_Get_count and MPI_Get_elements answer. Called by api/.
// Whole elements come by division; only the last, cut one is walked, one level of its recipe at a time.
#include "data/checked.hpp"
#include "data/datatype.hpp"
#include "data/program.hpp"

namespace weft::data {
namespace {

// Takes a whole element apart: adds what fits, and answers the piece of a smaller type that is cut, or null.
const Datatype* descend(const Datatype* type, std::int64_t& bytes, std::int64_t& elements) {
  const Recipe& recipe = *type->recipe;
  const std::int64_t group_bytes = type->size / recipe.count;
  elements += bytes / group_bytes * (type->elements / recipe.count);
  bytes %= group_bytes;
  for (std::size_t i = 0; i < recipe.lengths.size() && bytes > 0; ++i) {
    const Datatype* part = recipe.type_of(i);
    if (part->size == 0) continue;
    const bool all = bytes >= recipe.lengths[i] * part->size;
    const std::int64_t fit = all ? recipe.lengths[i] : bytes / part->size;
    elements += fit * part->elements;
    bytes -= fit * part->size;
    if (!all) return part;
  }
  return nullptr;
}

// The first member's size of a predefined pair.
std::int64_t value_bytes(const Datatype* pair) {
  return pair->machine == Machine::int_int || pair->machine == Machine::float_float || pair->machine == Machine::double_double
             ? pair->size / 2
             : pair->size - static_cast<std::int64_t>(sizeof(int));
}

}  // namespace

std::int64_t whole_count(const Datatype* type, std::int64_t bytes) {
  if (type->size == 0) return bytes == 0 ? 0 : -1;
  return bytes % type->size == 0 ? bytes / type->size : -1;
}

std::int64_t basic_count(const Datatype* type, std::int64_t bytes) {
  if (type->size == 0) return bytes == 0 ? 0 : -1;
  std::int64_t elements = bytes / type->size * type->elements;
  bytes %= type->size;
  while (bytes > 0 && type != nullptr) {
    if (type->recipe != nullptr) {
      type = descend(type, bytes, elements);
      continue;
    }
    if (type->family == Family::pair && bytes == value_bytes(type)) return elements + 1;
    return -1;
  }
  return elements;
}

std::int64_t bytes_of_basic(const Datatype* type, std::int64_t elements) {
  if (type->elements == 0) return elements == 0 ? 0 : -1;
  Checked checked;
  std::int64_t bytes = checked.multiply(elements / type->elements, type->size);
  elements %= type->elements;
  while (elements > 0) {
    if (type->recipe == nullptr) {  // one member of a pair
      bytes = checked.add(bytes, value_bytes(type));
      break;
    }
    const Recipe& recipe = *type->recipe;
    const std::int64_t group = type->elements / recipe.count;
    bytes = checked.add(bytes, elements / group * (type->size / recipe.count));
    elements %= group;
    for (std::size_t i = 0; i < recipe.lengths.size() && elements > 0; ++i) {
      const Datatype* part = recipe.type_of(i);
      if (part->elements == 0) continue;
      const bool all = elements >= recipe.lengths[i] * part->elements;
      const std::int64_t fit = all ? recipe.lengths[i] : elements / part->elements;
      bytes = checked.add(bytes, fit * part->size);
      elements -= fit * part->elements;
      type = part;
      if (!all) break;
    }
  }
  return checked.overflow() ? -1 : bytes;
}

}  // namespace weft::data
