// The bodies of the attribute calls, alike for every kind of object that has attributes. `Kind` says how:
//   object_kind; Object; find(handle) -> Object* or null; bad(call, handle) -> code; store(Object&); site(Object*)
#pragma once

#include "api/api.hpp"
#include "comm/attribute.hpp"
#include "comm/predefined_attribute.hpp"

namespace weft::api {

template <typename Kind>
int bad_keyval(const typename Kind::Object* on, const char* call, int keyval) {
  return raise_at(Kind::site(on), MPI_ERR_KEYVAL, call, "keyval", keyval, "a key for this kind of object that was created and not freed");
}

template <typename Kind>
int callback_failed(const typename Kind::Object* on, int code, const char* call) {
  return comm::raise_at(Kind::site(on), code, std::string(call).append(": the delete function of the attribute failed"));
}

template <typename Kind, typename Copy, typename Delete>
int create_keyval(const char* call, Copy* copy, Delete* remove, int* keyval, void* extra_state) {
  const Guard guard(call);
  if (keyval == nullptr) return null_argument(nullptr, call, "keyval");
  return comm::create_keyval(Kind::object_kind, reinterpret_cast<comm::AttributeCopy>(copy),
                             reinterpret_cast<comm::AttributeDelete>(remove), extra_state, *keyval);
}

template <typename Kind>
int free_keyval(const char* call, int* keyval) {
  const Guard guard(call);
  if (keyval == nullptr) return null_argument(nullptr, call, "keyval");
  if (comm::free_keyval(Kind::object_kind, *keyval) != MPI_SUCCESS) return bad_keyval<Kind>(nullptr, call, *keyval);
  *keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

template <typename Kind, typename Handle>
int set_attribute(const char* call, Handle handle, int keyval, void* value) {
  const Guard guard(call);
  auto* object = Kind::find(handle);
  if (object == nullptr) return Kind::bad(call, handle);
  if (!comm::valid_keyval(Kind::object_kind, keyval)) return bad_keyval<Kind>(object, call, keyval);
  const int code = comm::set_attribute(Kind::store(*object), Kind::object_kind, handle, keyval, value);
  return code == MPI_SUCCESS ? code : callback_failed<Kind>(object, code, call);
}

template <typename Kind, typename Handle>
int get_attribute(const char* call, Handle handle, int keyval, void* attribute_val, int* flag) {
  const Guard guard(call);
  auto* object = Kind::find(handle);
  if (object == nullptr) return Kind::bad(call, handle);
  if (attribute_val == nullptr || flag == nullptr)
    return raise_at(Kind::site(object), MPI_ERR_ARG, call, attribute_val == nullptr ? "attribute_val" : "flag", nullptr, "an address");
  void* value = nullptr;
  if (Kind::predefined(keyval, value)) {
    *flag = value != nullptr ? 1 : 0;
  } else {
    if (!comm::valid_keyval(Kind::object_kind, keyval)) return bad_keyval<Kind>(object, call, keyval);
    *flag = comm::get_attribute(Kind::store(*object), keyval, value) ? 1 : 0;
  }
  if (*flag != 0) *static_cast<void**>(attribute_val) = value;
  return MPI_SUCCESS;
}

template <typename Kind, typename Handle>
int delete_attribute(const char* call, Handle handle, int keyval) {
  const Guard guard(call);
  auto* object = Kind::find(handle);
  if (object == nullptr) return Kind::bad(call, handle);
  if (!comm::known_keyval(Kind::object_kind, keyval)) return bad_keyval<Kind>(object, call, keyval);
  const int code = comm::delete_attribute(Kind::store(*object), Kind::object_kind, handle, keyval);
  return code == MPI_SUCCESS ? code : callback_failed<Kind>(object, code, call);
}

}  // namespace weft::api
