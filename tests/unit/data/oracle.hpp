// A datatype the slow way: the list of its basic elements, as the standard defines typemaps. The tests of data/ make each
// type twice, here and in the runtime, and compare. Random trees of types come from make_random().
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "data/datatype.hpp"

namespace weft::test {

struct Typemap {
  struct Entry {
    std::int64_t displacement;
    std::int64_t bytes;
  };
  std::vector<Entry> entries;
  std::optional<std::int64_t> lower_mark, upper_mark;
  std::int64_t alignment = 1;

  std::int64_t true_lower() const {
    std::int64_t low = entries.empty() ? 0 : entries[0].displacement;
    for (const Entry& entry : entries) low = std::min(low, entry.displacement);
    return low;
  }
  std::int64_t true_upper() const {
    std::int64_t high = entries.empty() ? 0 : entries[0].displacement + entries[0].bytes;
    for (const Entry& entry : entries) high = std::max(high, entry.displacement + entry.bytes);
    return high;
  }
  std::int64_t lower() const { return lower_mark.value_or(true_lower()); }
  std::int64_t upper() const {
    if (upper_mark) return *upper_mark;
    std::int64_t high = true_upper();
    while (!entries.empty() && (high - lower()) % alignment != 0) ++high;
    return high;
  }
  std::int64_t extent() const { return upper() - lower(); }
  std::int64_t size() const {
    std::int64_t bytes = 0;
    for (const Entry& entry : entries) bytes += entry.bytes;
    return bytes;
  }
  // Adds another type's map at a displacement.
  void add(const Typemap& part, std::int64_t displacement) {
    for (const Entry& entry : part.entries) entries.push_back({entry.displacement + displacement, entry.bytes});
    if (part.lower_mark) {
      const std::int64_t mark = *part.lower_mark + displacement;
      lower_mark = std::min(lower_mark.value_or(mark), mark);
    }
    if (part.upper_mark) {
      const std::int64_t mark = *part.upper_mark + displacement;
      upper_mark = std::max(upper_mark.value_or(mark), mark);
    }
    if (!part.entries.empty()) alignment = std::max(alignment, part.alignment);
  }
};

// One type, made both ways. Owns its reference.
struct Both {
  data::Datatype* type = nullptr;
  Typemap map;

  Both() = default;
  Both(data::Datatype* made, Typemap typemap) : type(made), map(std::move(typemap)) {}
  Both(Both&& other) noexcept : type(std::exchange(other.type, nullptr)), map(std::move(other.map)) {}
  Both& operator=(Both&& other) noexcept {
    std::swap(type, other.type);
    std::swap(map, other.map);
    return *this;
  }
  ~Both() {
    if (type != nullptr) data::release(type);
  }
};

inline Both basic(std::uint32_t number) {
  data::Datatype* type = data::predefined(number);
  Typemap map;
  if (number == 0x22c) {  // MPI_SHORT_INT: the pair with a gap
    map.entries = {{0, 2}, {4, 4}};
    map.alignment = 4;
  } else if (number == 0x229) {  // MPI_DOUBLE_INT
    map.entries = {{0, 8}, {8, 4}};
    map.alignment = 8;
  } else {
    map.entries = {{0, type->size}};
    map.alignment = type->alignment;
  }
  return {type, map};
}

inline Both contiguous(std::int64_t count, const Both& part) {
  Typemap map;
  for (std::int64_t i = 0; i < count; ++i) map.add(part.map, i * part.map.extent());
  return {data::make_contiguous(count, part.type), map};
}

inline Both hvector(std::int64_t count, std::int64_t length, std::int64_t stride, const Both& part) {
  Typemap map;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < length; ++j) map.add(part.map, i * stride + j * part.map.extent());
  }
  return {data::make_hvector(count, length, stride, part.type), map};
}

inline Both structure(const std::vector<std::int64_t>& lengths, const std::vector<std::int64_t>& displacements,
                      const std::vector<const Both*>& parts) {
  Typemap map;
  std::vector<const data::Datatype*> types;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int64_t j = 0; j < lengths[i]; ++j) map.add(parts[i]->map, displacements[i] + j * parts[i]->map.extent());
    types.push_back(parts[i]->type);
  }
  return {data::make_struct(lengths, displacements, types), map};
}

inline Both hindexed(const std::vector<std::int64_t>& lengths, const std::vector<std::int64_t>& displacements, const Both& part) {
  Both both = structure(lengths, displacements, std::vector<const Both*>(lengths.size(), &part));
  data::release(both.type);
  both.type = data::make_hindexed(lengths, displacements, part.type);
  return both;
}

inline Both resized(const Both& part, std::int64_t lower, std::int64_t extent) {
  Typemap map = part.map;
  map.lower_mark = lower;
  map.upper_mark = lower + extent;
  return {data::make_resized(part.type, lower, extent), map};
}

inline Both subarray(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& subsizes,
                     const std::vector<std::int64_t>& starts, data::Order order, const Both& part) {
  Typemap map;
  const std::size_t n = sizes.size();
  std::vector<std::int64_t> at(n, 0);
  std::int64_t total = 1, all = 1;
  for (std::size_t d = 0; d < n; ++d) {
    total *= subsizes[d];
    all *= sizes[d];
  }
  const auto nth = [&](std::size_t k) { return order == data::Order::c ? n - 1 - k : k; };
  for (std::int64_t i = 0; i < total; ++i) {
    std::int64_t rest = i, position = 0, step = 1;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t d = nth(k);
      position += (starts[d] + rest % subsizes[d]) * step;
      rest /= subsizes[d];
      step *= sizes[d];
    }
    map.add(part.map, position * part.map.extent());
  }
  map.lower_mark = 0;
  map.upper_mark = all * part.map.extent();
  return {data::make_subarray(sizes, subsizes, starts, order, part.type), map};
}

using Random = std::mt19937_64;
inline std::int64_t pick(Random& random, std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to)(random);
}

// A random tree of constructors.
inline Both make_random(Random& random, int depth) {
  static constexpr std::uint32_t leaves[] = {0x209, 0x214, 0x243, 0x208, 0x22c, 0x229, 0x220, 0x250};
  if (depth == 0) return basic(leaves[pick(random, 0, 7)]);
  const Both part = make_random(random, depth - 1);
  const std::int64_t width = part.map.entries.empty() ? 1 : part.map.true_upper() - part.map.true_lower();
  const std::int64_t room = std::max(width, std::abs(part.map.extent()));
  switch (pick(random, 0, 6)) {
    case 0: return contiguous(pick(random, 0, 5), part);
    case 1: return hvector(pick(random, 0, 12), pick(random, 0, 3), pick(random, -2, 4) * room, part);
    case 2: {
      std::vector<std::int64_t> lengths, displacements;
      const std::int64_t count = pick(random, 0, 12);
      const bool equal = pick(random, 0, 1) != 0;
      for (std::int64_t i = 0; i < count; ++i) {
        lengths.push_back(equal ? 1 : pick(random, 0, 3));
        displacements.push_back(3 * room * pick(random, i, i + 1));
      }
      if (pick(random, 0, 1) != 0) std::reverse(displacements.begin(), displacements.end());
      return hindexed(lengths, displacements, part);
    }
    case 3: {
      const Both other = make_random(random, depth - 1);
      const Both third = basic(leaves[pick(random, 0, 7)]);
      const std::int64_t reach = 4 * std::max(room, std::abs(other.map.extent()) + other.map.true_upper() - other.map.true_lower());
      return structure({pick(random, 0, 2), pick(random, 0, 2), pick(random, 0, 2)},
                       {pick(random, -1, 1) * reach, 3 * reach, 6 * reach + pick(random, 0, 7)}, {&part, &other, &third});
    }
    case 4: return resized(part, pick(random, -8, 8), room * pick(random, -1, 2) + pick(random, 0, 8));
    case 5: {
      const std::vector<std::int64_t> sizes = {pick(random, 1, 4), pick(random, 1, 4), pick(random, 1, 5)};
      std::vector<std::int64_t> subsizes, starts;
      for (const std::int64_t size : sizes) {
        subsizes.push_back(pick(random, 1, size));
        starts.push_back(pick(random, 0, size - subsizes.back()));
      }
      return subarray(sizes, subsizes, starts, pick(random, 0, 1) != 0 ? data::Order::c : data::Order::fortran, part);
    }
    default: return {data::make_duplicate(part.type), part.map};
  }
}

}  // namespace weft::test
