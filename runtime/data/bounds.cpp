// Bounds of a derived type: the extremes over all placed elements. Explicit bounds (of resized types and arrays) win over
// data wherever one takes part; without an explicit upper bound, the extent is padded to the strictest alignment inside.
// A run of n elements at a stride has its extremes at its two ends, so nothing here is linear in counts.
#include "data/bounds.hpp"

#include <algorithm>

#include "data/checked.hpp"

namespace weft::data {
namespace {

// Where one kind of bound lies over everything placed so far.
struct Range {
  bool any = false;
  std::int64_t low = 0;
  std::int64_t high = 0;

  void include(std::int64_t from, std::int64_t to) {
    low = any ? std::min(low, from) : from;
    high = any ? std::max(high, to) : to;
    any = true;
  }
  // The same, `count` times at `stride`.
  void repeat(std::int64_t count, std::int64_t stride, Checked& checked) {
    if (!any) return;
    const std::int64_t last = checked.multiply(count - 1, stride);
    low = checked.add(low, std::min<std::int64_t>(last, 0));
    high = checked.add(high, std::max<std::int64_t>(last, 0));
  }
};

struct Bounds {
  Range data;    // first and last byte
  Range lower;   // explicit lower bounds
  Range upper;   // explicit upper bounds
  std::int64_t size = 0;
  std::int64_t elements = 0;
  std::int64_t alignment = 1;
  const Datatype* basic = nullptr;
  bool several = false;
  Checked checked;

  void place(const Datatype& type, std::int64_t length, std::int64_t displacement);
};

void Bounds::place(const Datatype& type, std::int64_t length, std::int64_t displacement) {
  const auto place_one = [&](Range& all, std::int64_t from, std::int64_t to) {
    Range one;
    one.include(checked.add(displacement, from), checked.add(displacement, to));
    one.repeat(length, type.extent, checked);
    all.include(one.low, one.high);
  };
  if (type.lower_marked) place_one(lower, type.lower_bound, type.lower_bound);
  if (type.upper_marked) place_one(upper, type.upper_bound(), type.upper_bound());
  if (type.size == 0) return;
  place_one(data, type.true_lower_bound, checked.add(type.true_lower_bound, type.true_extent));
  size = checked.add(size, checked.multiply(length, type.size));
  elements = checked.add(elements, checked.multiply(length, type.elements));
  alignment = std::max(alignment, type.alignment);
  several |= type.basic == nullptr || (basic != nullptr && basic != type.basic);
  basic = type.basic;
}

}  // namespace

bool derive_bounds(Datatype* type, const Recipe& recipe) {
  Bounds all;
  if (recipe.count > 0) {
    for (std::size_t i = 0; i < recipe.lengths.size(); ++i) {
      if (recipe.lengths[i] > 0) all.place(*recipe.type_of(i), recipe.lengths[i], recipe.displacements[i]);
    }
  }
  Checked& checked = all.checked;
  for (Range* range : {&all.data, &all.lower, &all.upper}) range->repeat(recipe.count, recipe.stride, checked);

  type->size = checked.multiply(all.size, recipe.count);
  type->elements = checked.multiply(all.elements, recipe.count);
  type->alignment = all.alignment;
  type->basic = all.several ? nullptr : all.basic;
  type->true_lower_bound = all.data.low;
  type->true_extent = checked.add(all.data.high, -all.data.low);
  type->lower_marked = all.lower.any;
  type->upper_marked = all.upper.any;
  type->lower_bound = all.lower.any ? all.lower.low : all.data.low;
  std::int64_t upper = all.data.high;
  if (all.upper.any) {
    upper = all.upper.high;
  } else if (all.data.any) {
    const std::int64_t excess = checked.add(upper, -type->lower_bound) % all.alignment;
    if (excess > 0) upper = checked.add(upper, all.alignment - excess);
    if (excess < 0) upper -= excess;
  }
  type->extent = checked.add(upper, checked.multiply(type->lower_bound, -1));
  return !checked.overflow();
}

}  // namespace weft::data
