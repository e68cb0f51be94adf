// The constructors of subarrays and distributed arrays.
#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/type_making.hpp"

namespace weft::api {
namespace {

bool good_order(Making& making, int order) {
  return making.check(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, "order", order, "MPI_ORDER_C or MPI_ORDER_FORTRAN");
}
data::Order order_of(int order) { return order == MPI_ORDER_C ? data::Order::c : data::Order::fortran; }

template <typename Count>
int subarray(Making making, int dimensions, const Count* sizes, const Count* subsizes, const Count* starts, int order,
             MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !making.check(dimensions > 0, "ndims", dimensions, "1 or more") || !good_order(making, order) ||
      !making.good_list("sizes", dimensions, sizes) || !making.good_list("subsizes", dimensions, subsizes) ||
      !making.good_list("starts", dimensions, starts))
    return making.failed();
  for (int d = 0; d < dimensions; ++d) {
    if (!making.check(sizes[d] > 0, "a size", sizes[d], "1 or more") ||
        !making.check(subsizes[d] > 0 && subsizes[d] <= sizes[d], "a subsize", subsizes[d], "1 .. the size") ||
        !making.check(starts[d] >= 0 && starts[d] <= sizes[d] - subsizes[d], "a start", starts[d], "0 .. size - subsize"))
      return making.failed();
  }
  const Numbers all = widened(sizes, dimensions), part = widened(subsizes, dimensions), from = widened(starts, dimensions);
  TypeArguments<Count> arguments(MPI_COMBINER_SUBARRAY);
  arguments.integer(dimensions).counts(all).counts(part).counts(from).integer(order).type(old);
  return making.finish(data::make_subarray(all, part, from, order_of(order), old), arguments);
}

// One dimension of a distributed array.
template <typename Count>
bool good_dimension(Making& making, Count size, int distribution, int argument, int processes) {
  if (!making.check(size > 0, "a gsize", size, "1 or more") || !making.check(processes > 0, "a psize", processes, "1 or more")) return false;
  const bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
  switch (distribution) {
    case MPI_DISTRIBUTE_NONE: return making.check(processes == 1, "a psize", processes, "1 where the dimension is not distributed");
    case MPI_DISTRIBUTE_BLOCK:
      return making.check(by_default || (argument > 0 && static_cast<std::int64_t>(argument) * processes >= size), "a darg", argument,
                          "the default, or so many that the blocks cover the dimension");
    case MPI_DISTRIBUTE_CYCLIC: return making.check(by_default || argument > 0, "a darg", argument, "the default, or 1 or more");
    default: return making.check(false, "a distrib", distribution, "MPI_DISTRIBUTE_NONE, _BLOCK or _CYCLIC");
  }
}

template <typename Count>
bool good_darray(Making& making, int size, int rank, int dimensions, const Count* sizes, const int* distributions, const int* arguments,
                 const int* grid, int order) {
  if (!making.check(size > 0, "size", size, "1 or more") || !making.check(rank >= 0 && rank < size, "rank", rank, "0 .. size - 1") ||
      !making.check(dimensions > 0, "ndims", dimensions, "1 or more") || !good_order(making, order) ||
      !making.good_list("gsizes", dimensions, sizes) || !making.good_list("distribs", dimensions, distributions) ||
      !making.good_list("dargs", dimensions, arguments) || !making.good_list("psizes", dimensions, grid))
    return false;
  std::int64_t processes = 1;
  for (int d = 0; d < dimensions; ++d) {
    if (!good_dimension(making, sizes[d], distributions[d], arguments[d], grid[d])) return false;
    processes *= grid[d];
    if (!making.check(processes <= size, "the product of psizes", processes, "size")) return false;
  }
  return making.check(processes == size, "the product of psizes", processes, "size");
}

template <typename Count>
int darray(Making making, int size, int rank, int dimensions, const Count* sizes, const int* distributions, const int* arguments,
           const int* grid, int order, MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !good_darray(making, size, rank, dimensions, sizes, distributions, arguments, grid, order)) return making.failed();
  const Numbers all = widened(sizes, dimensions), places = widened(grid, dimensions);
  Numbers lengths;
  std::vector<data::Distribution> kinds;
  for (int d = 0; d < dimensions; ++d) {
    lengths.push_back(arguments[d] == MPI_DISTRIBUTE_DFLT_DARG ? data::default_distribution_argument : arguments[d]);
    kinds.push_back(distributions[d] == MPI_DISTRIBUTE_BLOCK    ? data::Distribution::block
                    : distributions[d] == MPI_DISTRIBUTE_CYCLIC ? data::Distribution::cyclic
                                                                : data::Distribution::none);
  }
  TypeArguments<Count> given(MPI_COMBINER_DARRAY);
  given.integer(size).integer(rank).integer(dimensions).counts(all).integers(distributions, dimensions);
  given.integers(arguments, dimensions).integers(grid, dimensions).integer(order).type(old);
  return making.finish(data::make_darray(size, rank, all, kinds, lengths, places, order_of(order), old), given);
}

}  // namespace
}  // namespace weft::api

using weft::api::Guard;

#define WEFT_ARRAY_CONSTRUCTORS(Count, suffix)                                                                                   \
  WEFT_API(int, Type_create_subarray##suffix)(int ndims, const Count sizes[], const Count subsizes[], const Count starts[],     \
                                              int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {                          \
    const Guard guard("MPI_Type_create_subarray" #suffix);                                                                       \
    return weft::api::subarray<Count>({"MPI_Type_create_subarray" #suffix, newtype}, ndims, sizes, subsizes, starts, order,     \
                                      oldtype);                                                                                  \
  }                                                                                                                              \
  WEFT_API(int, Type_create_darray##suffix)(int size, int rank, int ndims, const Count gsizes[], const int distribs[],          \
                                            const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,              \
                                            MPI_Datatype* newtype) {                                                             \
    const Guard guard("MPI_Type_create_darray" #suffix);                                                                         \
    return weft::api::darray<Count>({"MPI_Type_create_darray" #suffix, newtype}, size, rank, ndims, gsizes, distribs, dargs,    \
                                    psizes, order, oldtype);                                                                     \
  }
WEFT_ARRAY_CONSTRUCTORS(int, )
WEFT_ARRAY_CONSTRUCTORS(MPI_Count, _c)
