// A datatype's life after its constructor: commit, duplicate, free, names; the types that parameters or sizes select.
#include <algorithm>
#include <array>
#include <cstring>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/type_making.hpp"
#include "comm/type_attribute.hpp"
#include "data/parametrised.hpp"

namespace api = weft::api;
namespace comm = weft::comm;
namespace data = weft::data;

namespace weft::api {
namespace {

bool parametrised(const data::Datatype& type) {
  if (type.contents == nullptr) return false;
  const int combiner = type.contents->combiner;
  return combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

// Fortran's selected_real_kind: the first kind with so many digits and such a range.
struct Kind {
  int digits;
  int range;
  MPI_Datatype real;
  MPI_Datatype complex;
};
const std::array real_kinds = {Kind{6, 37, MPI_REAL4, MPI_COMPLEX8}, Kind{15, 307, MPI_REAL8, MPI_COMPLEX16},
                               Kind{33, 4931, MPI_REAL16, MPI_COMPLEX32}};
struct IntegerKind {
  int range;
  MPI_Datatype type;
};
const std::array integer_kinds = {IntegerKind{2, MPI_INTEGER1}, IntegerKind{4, MPI_INTEGER2}, IntegerKind{9, MPI_INTEGER4},
                                  IntegerKind{18, MPI_INTEGER8}, IntegerKind{38, MPI_INTEGER16}};

int deliver(const char* call, int combiner, std::span<const int> parameters, MPI_Datatype base, MPI_Datatype* new_type) {
  const data::Datatype* type = data::parametrised(combiner, parameters, datatype(base));
  if (type == nullptr) return raise_status(nullptr, Status::no_memory, call);
  *new_type = handle_of(*type);
  return MPI_SUCCESS;
}

int real_type(const char* call, int combiner, int digits, int range, MPI_Datatype* new_type) {
  if (new_type == nullptr) return null_argument(nullptr, call, "newtype");
  if (digits == MPI_UNDEFINED && range == MPI_UNDEFINED)
    return raise(nullptr, MPI_ERR_ARG, call, "p and r", "MPI_UNDEFINED", "at least one of the two");
  for (const Kind& kind : real_kinds) {
    if ((digits != MPI_UNDEFINED && digits > kind.digits) || (range != MPI_UNDEFINED && range > kind.range)) continue;
    const int parameters[] = {digits, range};
    return deliver(call, combiner, parameters, combiner == MPI_COMBINER_F90_REAL ? kind.real : kind.complex, new_type);
  }
  const bool by_digits = digits != MPI_UNDEFINED && digits > real_kinds.back().digits;
  return raise(nullptr, MPI_ERR_ARG, call, by_digits ? "p" : "r", by_digits ? digits : range, "33 digits and a range of 4931");
}

// The named types MPI_Type_match_size chooses from.
MPI_Datatype sized_type(int type_class, int size) {
  static const MPI_Datatype integers[] = {MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16};
  static const MPI_Datatype reals[] = {MPI_REAL4, MPI_REAL8, MPI_REAL2, MPI_REAL16};
  static const MPI_Datatype complexes[] = {MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX4, MPI_COMPLEX32};
  const std::span<const MPI_Datatype> all = type_class == MPI_TYPECLASS_INTEGER   ? std::span<const MPI_Datatype>(integers)
                                            : type_class == MPI_TYPECLASS_REAL    ? std::span<const MPI_Datatype>(reals)
                                            : type_class == MPI_TYPECLASS_COMPLEX ? std::span<const MPI_Datatype>(complexes)
                                                                                  : std::span<const MPI_Datatype>();
  for (const MPI_Datatype handle : all) {
    if (datatype(handle)->size == size) return handle;
  }
  return MPI_DATATYPE_NULL;
}

struct Pair {
  MPI_Datatype value, index, pair;
};
const Pair pairs[] = {{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
                      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
                      {MPI_LONG, MPI_INT, MPI_LONG_INT},
                      {MPI_INT, MPI_INT, MPI_2INT},
                      {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
                      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
                      {MPI_REAL, MPI_REAL, MPI_2REAL},
                      {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
                      {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}};

}  // namespace
}  // namespace weft::api

WEFT_API(int, Type_commit)(MPI_Datatype* datatype) {
  constexpr const char* call = "MPI_Type_commit";
  const api::Guard guard(call);
  if (datatype == nullptr) return api::null_argument(nullptr, call, "datatype");
  data::Datatype* type = api::datatype(*datatype);
  if (type == nullptr) return api::bad_datatype(call, *datatype);
  return api::raise_status(nullptr, data::commit(type), call);
}

WEFT_API(int, Type_free)(MPI_Datatype* datatype) {
  constexpr const char* call = "MPI_Type_free";
  const api::Guard guard(call);
  if (datatype == nullptr) return api::null_argument(nullptr, call, "datatype");
  data::Datatype* type = api::datatype(*datatype);
  if (type == nullptr) return api::bad_datatype(call, *datatype);
  if (type->predefined() || api::parametrised(*type))
    return api::raise(nullptr, MPI_ERR_TYPE, call, "datatype", "a predefined type", "a type that the program made");
  if (const int code = comm::delete_type_attributes(*type); code != MPI_SUCCESS)
    return api::raise_text(nullptr, code, call, "the delete function of an attribute failed");
  data::release(type);
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

WEFT_API(int, Type_dup)(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  constexpr const char* call = "MPI_Type_dup";
  const api::Guard guard(call);
  api::Making making(call, newtype);
  const data::Datatype* old = making.element(oldtype);
  if (old == nullptr) return making.failed();
  data::Datatype* made = data::make_duplicate(old);
  if (made != nullptr) {
    if (const int code = comm::copy_type_attributes(*old, *made); code != MPI_SUCCESS) {
      data::release(made);
      *newtype = MPI_DATATYPE_NULL;
      return api::raise_text(nullptr, code, call, "the copy function of an attribute failed");
    }
  }
  return making.finish(made, api::TypeArguments<int>(MPI_COMBINER_DUP).type(old));
}

WEFT_API(int, Type_set_name)(MPI_Datatype datatype, const char* type_name) {
  constexpr const char* call = "MPI_Type_set_name";
  const api::Guard guard(call);
  data::Datatype* type = api::datatype(datatype);
  if (type == nullptr) return api::bad_datatype(call, datatype);
  if (type_name == nullptr) return api::null_argument(nullptr, call, "type_name");
  if (type->name == nullptr) type->name = new std::string;
  type->name->assign(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

WEFT_API(int, Type_get_name)(MPI_Datatype datatype, char* type_name, int* resultlen) {
  constexpr const char* call = "MPI_Type_get_name";
  const api::Guard guard(call);
  if (type_name == nullptr || resultlen == nullptr)
    return api::null_argument(nullptr, call, type_name == nullptr ? "type_name" : "resultlen");
  const data::Datatype* type = api::datatype(datatype);
  if (type == nullptr && datatype != MPI_DATATYPE_NULL) return api::bad_datatype(call, datatype);
  const char* name = type == nullptr ? "MPI_DATATYPE_NULL" : type->name != nullptr ? type->name->c_str() : type->given_name;
  *resultlen = static_cast<int>(std::strlen(name));
  std::memcpy(type_name, name, static_cast<std::size_t>(*resultlen) + 1);
  return MPI_SUCCESS;
}

WEFT_API(int, Type_create_f90_real)(int p, int r, MPI_Datatype* newtype) {
  const api::Guard guard("MPI_Type_create_f90_real");
  return api::real_type("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL, p, r, newtype);
}

WEFT_API(int, Type_create_f90_complex)(int p, int r, MPI_Datatype* newtype) {
  const api::Guard guard("MPI_Type_create_f90_complex");
  return api::real_type("MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX, p, r, newtype);
}

WEFT_API(int, Type_create_f90_integer)(int r, MPI_Datatype* newtype) {
  constexpr const char* call = "MPI_Type_create_f90_integer";
  const api::Guard guard(call);
  if (newtype == nullptr) return api::null_argument(nullptr, call, "newtype");
  for (const api::IntegerKind& kind : api::integer_kinds) {
    if (r <= kind.range && r != MPI_UNDEFINED) return api::deliver(call, MPI_COMBINER_F90_INTEGER, {&r, 1}, kind.type, newtype);
  }
  return api::raise(nullptr, MPI_ERR_ARG, call, "r", r, "0 .. 38");
}

WEFT_API(int, Type_match_size)(int typeclass, int size, MPI_Datatype* datatype) {
  constexpr const char* call = "MPI_Type_match_size";
  const api::Guard guard(call);
  if (datatype == nullptr) return api::null_argument(nullptr, call, "datatype");
  *datatype = api::sized_type(typeclass, size);
  if (*datatype != MPI_DATATYPE_NULL) return MPI_SUCCESS;
  return api::raise(nullptr, MPI_ERR_ARG, call, "size", size, "a size that the class has, of MPI_TYPECLASS_INTEGER, _REAL or _COMPLEX");
}

WEFT_API(int, Type_get_value_index)(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  constexpr const char* call = "MPI_Type_get_value_index";
  const api::Guard guard(call);
  if (pair_type == nullptr) return api::null_argument(nullptr, call, "pair_type");
  for (const MPI_Datatype handle : {value_type, index_type}) {
    if (api::datatype(handle) == nullptr) return api::bad_datatype(call, handle);
  }
  *pair_type = MPI_DATATYPE_NULL;  // the standard's answer for pairs that are not there
  for (const api::Pair& pair : api::pairs) {
    if (pair.value == value_type && pair.index == index_type) *pair_type = pair.pair;
  }
  return MPI_SUCCESS;
}
