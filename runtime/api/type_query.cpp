// What a datatype is: sizes, bounds, and how it was made. Results that an int cannot hold are MPI_UNDEFINED.
#include <algorithm>
#include <limits>

#include "api/api.hpp"
#include "api/handles.hpp"

namespace weft::api {
namespace {

template <typename Result>
Result narrowed(std::int64_t value) {
  return value > std::numeric_limits<Result>::max() || value < std::numeric_limits<Result>::min() ? Result{MPI_UNDEFINED}
                                                                                                   : static_cast<Result>(value);
}

template <typename Result>
int size(const char* call, MPI_Datatype handle, Result* result) {
  const Guard guard(call);
  const data::Datatype* type = datatype(handle);
  if (type == nullptr) return bad_datatype(call, handle);
  if (result == nullptr) return null_argument(nullptr, call, "size");
  *result = narrowed<Result>(type->size);
  return MPI_SUCCESS;
}

enum class Which : bool { given, data };

template <Which which, typename Result>
int extent(const char* call, MPI_Datatype handle, Result* lower_bound, Result* extent) {
  const Guard guard(call);
  const data::Datatype* type = datatype(handle);
  if (type == nullptr) return bad_datatype(call, handle);
  if (lower_bound == nullptr || extent == nullptr) return null_argument(nullptr, call, lower_bound == nullptr ? "lb" : "extent");
  *lower_bound = which == Which::given ? type->lower_bound : type->true_lower_bound;
  *extent = which == Which::given ? type->extent : type->true_extent;
  return MPI_SUCCESS;
}

const data::Contents& contents_of(const data::Datatype& type) {
  static const data::Contents named{MPI_COMBINER_NAMED, {}, {}, {}, {}};
  return type.contents == nullptr ? named : *type.contents;
}

int made_with_large_counts(const char* call, const data::Contents& contents) {
  return raise(nullptr, MPI_ERR_TYPE, call, "the number of large counts", contents.large_counts.size(),
               "0: the type was made with MPI_Count arguments, use the _c form");
}

template <typename T, typename Given>
void copy_out(const std::vector<Given>& values, T* out) {
  std::transform(values.begin(), values.end(), out, [](Given value) { return static_cast<T>(value); });
}

// Room for what one list needs, or an error.
template <typename T>
bool fits(std::size_t needed, std::int64_t room, const T* list) {
  return needed == 0 || (static_cast<std::int64_t>(needed) <= room && list != nullptr);
}

struct Rooms {
  std::int64_t integers, addresses, large_counts, types;
};

int contents(const char* call, MPI_Datatype handle, const Rooms& rooms, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
             MPI_Datatype* types, bool large_form) {
  const Guard guard(call);
  const data::Datatype* type = datatype(handle);
  if (type == nullptr) return bad_datatype(call, handle);
  const data::Contents& made = contents_of(*type);
  if (made.combiner == MPI_COMBINER_NAMED) return raise(nullptr, MPI_ERR_TYPE, call, "datatype", "a predefined type", "a derived type");
  if (!large_form && !made.large_counts.empty()) return made_with_large_counts(call, made);
  const auto too_small = [&](const char* argument, std::int64_t room, std::size_t needed) {
    return raise(nullptr, MPI_ERR_ARG, call, argument, room, std::to_string(needed) + " or more, with an array");
  };
  if (!fits(made.integers.size(), rooms.integers, integers)) return too_small("max_integers", rooms.integers, made.integers.size());
  if (!fits(made.addresses.size(), rooms.addresses, addresses)) return too_small("max_addresses", rooms.addresses, made.addresses.size());
  if (!fits(made.large_counts.size(), rooms.large_counts, large_counts))
    return too_small("max_large_counts", rooms.large_counts, made.large_counts.size());
  if (!fits(made.types.size(), rooms.types, types)) return too_small("max_datatypes", rooms.types, made.types.size());
  copy_out(made.integers, integers);
  copy_out(made.addresses, addresses);
  copy_out(made.large_counts, large_counts);
  for (std::size_t i = 0; i < made.types.size(); ++i) {
    data::retain(made.types[i]);  // the caller frees what is derived
    types[i] = handle_of(*made.types[i]);
  }
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;
namespace data = weft::data;

WEFT_API(int, Type_size)(MPI_Datatype datatype, int* size) { return api::size("MPI_Type_size", datatype, size); }
WEFT_API(int, Type_size_c)(MPI_Datatype datatype, MPI_Count* size) { return api::size("MPI_Type_size_c", datatype, size); }
WEFT_API(int, Type_size_x)(MPI_Datatype datatype, MPI_Count* size) { return api::size("MPI_Type_size_x", datatype, size); }

#define WEFT_TYPE_EXTENT(Result, suffix)                                                                              \
  WEFT_API(int, Type_get_extent##suffix)(MPI_Datatype datatype, Result* lb, Result* extent) {                         \
    return api::extent<api::Which::given>("MPI_Type_get_extent" #suffix, datatype, lb, extent);                       \
  }                                                                                                                   \
  WEFT_API(int, Type_get_true_extent##suffix)(MPI_Datatype datatype, Result* true_lb, Result* true_extent) {          \
    return api::extent<api::Which::data>("MPI_Type_get_true_extent" #suffix, datatype, true_lb, true_extent);         \
  }
WEFT_TYPE_EXTENT(MPI_Aint, )
WEFT_TYPE_EXTENT(MPI_Count, _c)
WEFT_TYPE_EXTENT(MPI_Count, _x)

WEFT_API(int, Type_get_envelope)(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes, int* combiner) {
  constexpr const char* call = "MPI_Type_get_envelope";
  const api::Guard guard(call);
  const data::Datatype* type = api::datatype(datatype);
  if (type == nullptr) return api::bad_datatype(call, datatype);
  for (const int* result : {num_integers, num_addresses, num_datatypes, combiner}) {
    if (result == nullptr) return api::null_argument(nullptr, call, "a result");
  }
  const data::Contents& contents = api::contents_of(*type);
  if (!contents.large_counts.empty()) return api::made_with_large_counts(call, contents);
  *num_integers = api::narrowed<int>(static_cast<std::int64_t>(contents.integers.size()));
  *num_addresses = api::narrowed<int>(static_cast<std::int64_t>(contents.addresses.size()));
  *num_datatypes = api::narrowed<int>(static_cast<std::int64_t>(contents.types.size()));
  *combiner = contents.combiner;
  return MPI_SUCCESS;
}

WEFT_API(int, Type_get_envelope_c)(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses, MPI_Count* num_large_counts,
                                   MPI_Count* num_datatypes, int* combiner) {
  constexpr const char* call = "MPI_Type_get_envelope_c";
  const api::Guard guard(call);
  const data::Datatype* type = api::datatype(datatype);
  if (type == nullptr) return api::bad_datatype(call, datatype);
  for (const MPI_Count* result : {num_integers, num_addresses, num_large_counts, num_datatypes}) {
    if (result == nullptr) return api::null_argument(nullptr, call, "a result");
  }
  if (combiner == nullptr) return api::null_argument(nullptr, call, "combiner");
  const data::Contents& contents = api::contents_of(*type);
  *num_integers = static_cast<MPI_Count>(contents.integers.size());
  *num_addresses = static_cast<MPI_Count>(contents.addresses.size());
  *num_large_counts = static_cast<MPI_Count>(contents.large_counts.size());
  *num_datatypes = static_cast<MPI_Count>(contents.types.size());
  *combiner = contents.combiner;
  return MPI_SUCCESS;
}

WEFT_API(int, Type_get_contents)(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int integers[],
                                 MPI_Aint addresses[], MPI_Datatype datatypes[]) {
  return api::contents("MPI_Type_get_contents", datatype, {max_integers, max_addresses, 0, max_datatypes}, integers, addresses, nullptr,
                       datatypes, false);
}

WEFT_API(int, Type_get_contents_c)(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
                                   MPI_Count max_datatypes, int integers[], MPI_Aint addresses[], MPI_Count large_counts[],
                                   MPI_Datatype datatypes[]) {
  return api::contents("MPI_Type_get_contents_c", datatype, {max_integers, max_addresses, max_large_counts, max_datatypes}, integers,
                       addresses, large_counts, datatypes, true);
}
