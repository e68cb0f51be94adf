// The constructors of derived datatypes: each writes its recipe (groups of blocks of elements) and derives the bounds.
// Called by api/ and by the array constructors of arrays.cpp. Blocks of no elements are kept out of the recipe.
#include <new>

#include "data/bounds.hpp"
#include "data/checked.hpp"
#include "data/datatype.hpp"
#include "data/program.hpp"

namespace weft::data {
namespace {

// Freed types stay types without a magic word, so that api/ recognises a handle used after its free.
Datatype* free_types = nullptr;

Datatype* new_type() {
  if (free_types == nullptr) return new (std::nothrow) Datatype;
  Datatype* type = free_types;
  free_types = static_cast<Datatype*>(type->attributes);
  return new (type) Datatype;
}

void recycle(Datatype* type) {
  *type = Datatype{};
  type->magic = 0;
  type->attributes = free_types;
  free_types = type;
}

Datatype* make(Recipe&& recipe) {
  Datatype* type = new_type();
  if (type == nullptr) return nullptr;
  if (!derive_bounds(type, recipe)) {
    recycle(type);
    return nullptr;
  }
  for (const Datatype* part : recipe.types) retain(part);
  type->recipe = new (std::nothrow) Recipe(std::move(recipe));
  return type;
}

Recipe one_block(std::int64_t count, std::int64_t stride, std::int64_t length, const Datatype* element) {
  return {count, stride, {length}, {0}, {element}};
}

// Displacements in elements become bytes.
bool in_bytes(Counts elements, std::int64_t extent, std::vector<std::int64_t>& bytes) {
  Checked checked;
  bytes.reserve(elements.size());
  for (const std::int64_t element : elements) bytes.push_back(checked.multiply(element, extent));
  return !checked.overflow();
}

}  // namespace

void destroy(Datatype* type) {
  if (type->on_destroy != nullptr) type->on_destroy(type);
  if (type->recipe != nullptr) {
    for (const Datatype* part : type->recipe->types) release(part);
    delete type->recipe;
  }
  if (type->contents != nullptr) {
    for (const Datatype* part : type->contents->types) release(part);
    delete type->contents;
  }
  destroy_program(type->program);
  delete type->name;
  recycle(type);
}

Datatype* make_contiguous(std::int64_t count, const Datatype* element) { return make(one_block(1, 0, count, element)); }

Datatype* make_vector(std::int64_t count, std::int64_t length, std::int64_t stride_elements, const Datatype* element) {
  Checked checked;
  const std::int64_t stride = checked.multiply(stride_elements, element->extent);
  return checked.overflow() ? nullptr : make_hvector(count, length, stride, element);
}

Datatype* make_hvector(std::int64_t count, std::int64_t length, std::int64_t stride_bytes, const Datatype* element) {
  return make(one_block(count, stride_bytes, length, element));
}

Datatype* make_indexed(Counts lengths, Counts displacements_elements, const Datatype* element) {
  std::vector<std::int64_t> bytes;
  if (!in_bytes(displacements_elements, element->extent, bytes)) return nullptr;
  return make_hindexed(lengths, bytes, element);
}

Datatype* make_hindexed(Counts lengths, Counts displacements_bytes, const Datatype* element) {
  return make_struct(lengths, displacements_bytes, Types(&element, 1));
}

Datatype* make_indexed_block(std::int64_t length, Counts displacements_elements, const Datatype* element) {
  std::vector<std::int64_t> bytes;
  if (!in_bytes(displacements_elements, element->extent, bytes)) return nullptr;
  return make_hindexed_block(length, bytes, element);
}

Datatype* make_hindexed_block(std::int64_t length, Counts displacements_bytes, const Datatype* element) {
  const std::vector<std::int64_t> lengths(displacements_bytes.size(), length);
  return make_struct(lengths, displacements_bytes, Types(&element, 1));
}

Datatype* make_struct(Counts lengths, Counts displacements_bytes, Types types) {
  Recipe recipe;
  const bool same = types.size() == 1 && lengths.size() != 1;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] == 0) continue;
    recipe.lengths.push_back(lengths[i]);
    recipe.displacements.push_back(displacements_bytes[i]);
    if (!same) recipe.types.push_back(types[i]);
  }
  if (same) recipe.types.push_back(types[0]);
  return make(std::move(recipe));
}

Datatype* make_resized(const Datatype* element, std::int64_t lower_bound, std::int64_t extent) {
  Checked checked;
  checked.add(lower_bound, extent);
  if (checked.overflow()) return nullptr;
  Datatype* type = make(one_block(1, 0, 1, element));
  if (type == nullptr) return nullptr;
  type->lower_bound = lower_bound;
  type->extent = extent;
  type->lower_marked = type->upper_marked = true;
  return type;
}

Datatype* make_duplicate(const Datatype* element) {
  Datatype* type = make(one_block(1, 0, 1, element));
  if (type == nullptr) return nullptr;
  // Not derived anew: what resizing says about the original holds for the copy.
  type->lower_bound = element->lower_bound;
  type->extent = element->extent;
  if (element->committed && commit(type) != Status::ok) {
    release(type);
    return nullptr;
  }
  return type;
}

Status commit(Datatype* type) {
  if (type->committed) return Status::ok;
  if (!build_program(type, &type->program)) return Status::no_memory;
  type->contiguous = type->size == 0 || (type->program == nullptr && type->true_lower_bound == 0 && type->extent == type->size);
  type->committed = true;
  return Status::ok;
}

}  // namespace weft::data
