// MPI_Group_*: checks, then comm/group.hpp. Errors belong to no object.
#include <fmt/format.h>

#include <span>
#include <vector>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "comm/group.hpp"

namespace weft::api {
namespace {

int out_group(comm::Group* made, MPI_Group* newgroup) {
  *newgroup = handle_of(comm::give_handle(*made));
  comm::release(*made);
  return MPI_SUCCESS;
}

int bad_group_rank(const char* call, int rank, const comm::Group& of) {
  return raise(nullptr, MPI_ERR_RANK, call, "a rank", rank, fmt::format("0 .. {}, each once", of.size() - 1));
}

// Ranks in range, none twice.
const int* first_wrong(std::span<const int> ranks, const comm::Group& of) {
  std::vector<bool> seen(static_cast<std::size_t>(of.size()));
  for (const int& rank : ranks) {
    if (rank < 0 || rank >= of.size() || seen[static_cast<std::size_t>(rank)]) return &rank;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return nullptr;
}

using Binary = comm::Group* (*)(const comm::Group&, const comm::Group&);
int combine(const char* call, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup, Binary operation) {
  const Guard guard(call);
  const comm::Group* a = group(group1);
  if (a == nullptr) return bad_group(call, group1);
  const comm::Group* b = group(group2);
  if (b == nullptr) return bad_group(call, group2);
  if (newgroup == nullptr) return null_argument(nullptr, call, "newgroup");
  return out_group(operation(*a, *b), newgroup);
}

using Select = comm::Group* (*)(const comm::Group&, std::span<const int>);
int select_ranks(const char* call, MPI_Group from, int n, const int ranks[], MPI_Group* newgroup, Select operation) {
  const Guard guard(call);
  const comm::Group* g = group(from);
  if (g == nullptr) return bad_group(call, from);
  if (n < 0) return raise(nullptr, MPI_ERR_ARG, call, "n", n, "0 or more");
  if (n > 0 && ranks == nullptr) return null_argument(nullptr, call, "ranks");
  if (newgroup == nullptr) return null_argument(nullptr, call, "newgroup");
  const std::span<const int> chosen(ranks, static_cast<std::size_t>(n));
  if (const int* wrong = first_wrong(chosen, *g)) return bad_group_rank(call, *wrong, *g);
  return out_group(operation(*g, chosen), newgroup);
}

int select_ranges(const char* call, MPI_Group from, int n, int ranges[][3], MPI_Group* newgroup, Select operation) {
  const Guard guard(call);
  const comm::Group* g = group(from);
  if (g == nullptr) return bad_group(call, from);
  if (n < 0) return raise(nullptr, MPI_ERR_ARG, call, "n", n, "0 or more");
  if (n > 0 && ranges == nullptr) return null_argument(nullptr, call, "ranges");
  if (newgroup == nullptr) return null_argument(nullptr, call, "newgroup");
  std::vector<int> chosen;
  if (const int wrong = comm::expand_ranges(*g, std::span(ranges, static_cast<std::size_t>(n)), chosen); wrong >= 0) {
    const auto& range = ranges[wrong];
    return raise(nullptr, MPI_ERR_ARG, call, fmt::format("range {}", wrong).c_str(),
                 fmt::format("({}, {}, {})", range[0], range[1], range[2]).c_str(),
                 fmt::format("ranks 0 .. {}, each once, with a stride that leads from the first to the last", g->size() - 1));
  }
  return out_group(operation(*g, chosen), newgroup);
}

}  // namespace
}  // namespace weft::api

using namespace weft;

WEFT_API(int, Group_size)(MPI_Group group, int* size) {
  constexpr const char* call = "MPI_Group_size";
  const api::Guard guard(call);
  const comm::Group* g = api::group(group);
  if (g == nullptr) return api::bad_group(call, group);
  if (size == nullptr) return api::null_argument(nullptr, call, "size");
  *size = g->size();
  return MPI_SUCCESS;
}

WEFT_API(int, Group_rank)(MPI_Group group, int* rank) {
  constexpr const char* call = "MPI_Group_rank";
  const api::Guard guard(call);
  const comm::Group* g = api::group(group);
  if (g == nullptr) return api::bad_group(call, group);
  if (rank == nullptr) return api::null_argument(nullptr, call, "rank");
  *rank = g->my_rank < 0 ? MPI_UNDEFINED : g->my_rank;
  return MPI_SUCCESS;
}

WEFT_API(int, Group_translate_ranks)(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  constexpr const char* call = "MPI_Group_translate_ranks";
  const api::Guard guard(call);
  const comm::Group* from = api::group(group1);
  if (from == nullptr) return api::bad_group(call, group1);
  const comm::Group* to = api::group(group2);
  if (to == nullptr) return api::bad_group(call, group2);
  if (n < 0) return api::raise(nullptr, MPI_ERR_ARG, call, "n", n, "0 or more");
  if (n > 0 && ranks1 == nullptr) return api::null_argument(nullptr, call, "ranks1");
  if (n > 0 && ranks2 == nullptr) return api::null_argument(nullptr, call, "ranks2");
  const std::span<const int> ranks(ranks1, static_cast<std::size_t>(n));
  for (const int rank : ranks) {
    if (rank == MPI_PROC_NULL || (rank >= 0 && rank < from->size())) continue;
    return api::raise(nullptr, MPI_ERR_RANK, call, "a rank", rank, fmt::format("0 .. {} or MPI_PROC_NULL", from->size() - 1));
  }
  comm::translate(*from, ranks, *to, ranks2, MPI_UNDEFINED, MPI_PROC_NULL);
  return MPI_SUCCESS;
}

WEFT_API(int, Group_compare)(MPI_Group group1, MPI_Group group2, int* result) {
  constexpr const char* call = "MPI_Group_compare";
  const api::Guard guard(call);
  const comm::Group* a = api::group(group1);
  if (a == nullptr) return api::bad_group(call, group1);
  const comm::Group* b = api::group(group2);
  if (b == nullptr) return api::bad_group(call, group2);
  if (result == nullptr) return api::null_argument(nullptr, call, "result");
  switch (comm::compare(*a, *b)) {
    case comm::GroupOrder::identical: *result = MPI_IDENT; break;
    case comm::GroupOrder::similar: *result = MPI_SIMILAR; break;
    case comm::GroupOrder::unequal: *result = MPI_UNEQUAL; break;
  }
  return MPI_SUCCESS;
}

WEFT_API(int, Group_union)(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return api::combine("MPI_Group_union", group1, group2, newgroup, comm::group_union);
}

WEFT_API(int, Group_intersection)(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return api::combine("MPI_Group_intersection", group1, group2, newgroup, comm::group_intersection);
}

WEFT_API(int, Group_difference)(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return api::combine("MPI_Group_difference", group1, group2, newgroup, comm::group_difference);
}

WEFT_API(int, Group_incl)(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return api::select_ranks("MPI_Group_incl", group, n, ranks, newgroup, comm::group_include);
}

WEFT_API(int, Group_excl)(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return api::select_ranks("MPI_Group_excl", group, n, ranks, newgroup, comm::group_exclude);
}

WEFT_API(int, Group_range_incl)(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return api::select_ranges("MPI_Group_range_incl", group, n, ranges, newgroup, comm::group_include);
}

WEFT_API(int, Group_range_excl)(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return api::select_ranges("MPI_Group_range_excl", group, n, ranges, newgroup, comm::group_exclude);
}

WEFT_API(int, Group_free)(MPI_Group* group) {
  constexpr const char* call = "MPI_Group_free";
  const api::Guard guard(call);
  if (group == nullptr) return api::null_argument(nullptr, call, "group");
  comm::Group* g = api::group(*group);
  if (g == nullptr) return api::bad_group(call, *group);
  comm::take_handle(*g);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
