// Subarrays and distributed arrays as nests of strided vectors, one per dimension, from the fastest dimension out.
// The resulting type has the bounds of the whole array, as the standard asks. Called by api/.
#include <algorithm>
#include <utility>

#include "data/checked.hpp"
#include "data/datatype.hpp"

namespace weft::data {
namespace {

// Owns one reference while a nest is being built.
class Nest {
 public:
  explicit Nest(const Datatype* element) : type_(element) { retain(type_); }
  ~Nest() {
    if (type_ != nullptr) release(type_);
  }
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;

  const Datatype* type() const { return type_; }
  void replace(const Datatype* made) {
    if (type_ != nullptr) release(type_);
    type_ = made;
  }

 private:
  const Datatype* type_;
};

// The nest at a displacement, with the bounds of the whole array.
Datatype* whole_array(const Datatype* nest, std::int64_t displacement, std::int64_t extent) {
  const std::int64_t one = 1;
  Datatype* type = make_hindexed(Counts(&one, 1), Counts(&displacement, 1), nest);
  if (type == nullptr) return nullptr;
  type->lower_bound = 0;
  type->extent = extent;
  type->lower_marked = type->upper_marked = true;
  return type;
}

std::size_t dimension(std::size_t nth_fastest, std::size_t dimensions, Order order) {
  return order == Order::c ? dimensions - 1 - nth_fastest : nth_fastest;
}

// What one process owns of one dimension: `blocks` whole blocks every `period` places, then a shorter one.
struct Share {
  std::int64_t start = 0;
  std::int64_t blocks = 0;
  std::int64_t length = 0;
  std::int64_t period = 0;
  std::int64_t rest = 0;
};

Share share_of(std::int64_t size, Distribution distribution, std::int64_t argument, std::int64_t processes, std::int64_t rank) {
  Share share;
  if (distribution == Distribution::none) return {0, 1, size, size, 0};
  if (distribution == Distribution::block) {
    const std::int64_t length = argument > 0 ? argument : (size + processes - 1) / processes;
    share.start = std::min(size, rank * length);
    return {share.start, 1, std::min(length, size - share.start), length, 0};
  }
  share.length = argument > 0 ? argument : 1;
  share.period = processes * share.length;
  share.start = rank * share.length;
  if (share.start >= size) return {0, 0, share.length, share.period, 0};
  const std::int64_t periods = (size - share.start) / share.period;
  const std::int64_t left = size - share.start - periods * share.period;
  share.blocks = periods + (left >= share.length ? 1 : 0);
  share.rest = left >= share.length ? 0 : left;
  return share;
}

// One more dimension around `inner`, whose elements lie `stride` bytes apart. The first owned place is at displacement 0.
Datatype* add_dimension(const Share& share, std::int64_t stride, const Datatype* inner) {
  if (share.blocks <= 1 && share.rest == 0) return make_hvector(share.blocks * share.length, 1, stride, inner);
  Nest block(inner);
  block.replace(make_hvector(share.length, 1, stride, inner));
  if (block.type() == nullptr) return nullptr;
  Datatype* all = make_hvector(share.blocks, 1, share.period * stride, block.type());
  if (all == nullptr || share.rest == 0) return all;
  Nest whole(all), rest(inner);
  release(all);
  rest.replace(make_hvector(share.rest, 1, stride, inner));
  if (rest.type() == nullptr) return nullptr;
  const std::int64_t lengths[] = {1, 1};
  const std::int64_t displacements[] = {0, share.blocks * share.period * stride};
  const Datatype* types[] = {whole.type(), rest.type()};
  return make_struct(lengths, displacements, types);
}

}  // namespace

Datatype* make_subarray(Counts sizes, Counts subsizes, Counts starts, Order order, const Datatype* element) {
  Nest nest(element);
  Checked checked;
  std::int64_t stride = element->extent;
  std::int64_t displacement = 0;
  for (std::size_t nth = 0; nth < sizes.size(); ++nth) {
    const std::size_t d = dimension(nth, sizes.size(), order);
    displacement = checked.add(displacement, checked.multiply(starts[d], stride));
    nest.replace(make_hvector(subsizes[d], 1, stride, nest.type()));
    if (nest.type() == nullptr) return nullptr;
    stride = checked.multiply(stride, sizes[d]);
  }
  return checked.overflow() ? nullptr : whole_array(nest.type(), displacement, stride);
}

Datatype* make_darray(std::int64_t processes, std::int64_t rank, Counts sizes, std::span<const Distribution> distributions,
                      Counts arguments, Counts grid, Order order, const Datatype* element) {
  // The process grid is in row-major order whatever the array's order.
  std::vector<std::int64_t> place(grid.size());
  for (std::size_t d = 0; d < grid.size(); ++d) {
    processes /= grid[d];
    place[d] = rank / processes;
    rank %= processes;
  }
  Nest nest(element);
  Checked checked;
  std::int64_t stride = element->extent;
  std::int64_t displacement = 0;
  for (std::size_t nth = 0; nth < sizes.size(); ++nth) {
    const std::size_t d = dimension(nth, sizes.size(), order);
    const Share share = share_of(sizes[d], distributions[d], arguments[d], grid[d], place[d]);
    displacement = checked.add(displacement, checked.multiply(share.start, stride));
    nest.replace(add_dimension(share, stride, nest.type()));
    if (nest.type() == nullptr) return nullptr;
    stride = checked.multiply(stride, sizes[d]);
  }
  return checked.overflow() ? nullptr : whole_array(nest.type(), displacement, stride);
}

}  // namespace weft::data
