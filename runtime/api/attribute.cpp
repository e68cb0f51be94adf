// Attributes of communicators, the predefined ones among them, and the deprecated names. Windows and datatypes have theirs
// in files of their own, over the same comm/attribute.hpp.
#include "api/api.hpp"
#include "api/handles.hpp"
#include "comm/attribute.hpp"
#include "comm/error_class.hpp"
#include "comm/predefined_attribute.hpp"

namespace weft::api {
namespace {

constexpr auto kind = comm::ObjectKind::communicator;

int bad_keyval(const comm::Communicator* on, const char* call, int keyval) {
  return raise(on, MPI_ERR_KEYVAL, call, "keyval", keyval, "a key for communicators that was created and not freed");
}

int set(const char* call, MPI_Comm handle, int keyval, void* value) {
  const Guard guard(call);
  comm::Communicator* c = communicator(handle);
  if (c == nullptr) return bad_communicator(call, handle);
  if (!comm::valid_keyval(kind, keyval)) return bad_keyval(c, call, keyval);
  const int code = comm::set_attribute(c->attributes, kind, c->handle, keyval, value);
  return code == MPI_SUCCESS ? code : raise_text(c, code, call, "the delete function of the old value failed");
}

int get(const char* call, MPI_Comm handle, int keyval, void* attribute_val, int* flag) {
  const Guard guard(call);
  const comm::Communicator* c = communicator(handle);
  if (c == nullptr) return bad_communicator(call, handle);
  if (attribute_val == nullptr) return null_argument(c, call, "attribute_val");
  if (flag == nullptr) return null_argument(c, call, "flag");
  void* value = nullptr;
  if (comm::predefined_attribute(keyval, value)) {
    *flag = value != nullptr ? 1 : 0;
  } else {
    if (!comm::valid_keyval(kind, keyval)) return bad_keyval(c, call, keyval);
    *flag = comm::get_attribute(c->attributes, keyval, value) ? 1 : 0;
  }
  if (*flag != 0) *static_cast<void**>(attribute_val) = value;
  return MPI_SUCCESS;
}

int remove(const char* call, MPI_Comm handle, int keyval) {
  const Guard guard(call);
  comm::Communicator* c = communicator(handle);
  if (c == nullptr) return bad_communicator(call, handle);
  if (!comm::known_keyval(kind, keyval)) return bad_keyval(c, call, keyval);
  const int code = comm::delete_attribute(c->attributes, kind, c->handle, keyval);
  return code == MPI_SUCCESS ? code : raise_text(c, code, call, "the delete function failed");
}

int create(const char* call, MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove_function, int* keyval,
           void* extra_state) {
  const Guard guard(call);
  if (keyval == nullptr) return null_argument(nullptr, call, "keyval");
  return comm::create_keyval(kind, reinterpret_cast<comm::AttributeCopy>(copy),
                             reinterpret_cast<comm::AttributeDelete>(remove_function), extra_state, *keyval);
}

int free(const char* call, int* keyval) {
  const Guard guard(call);
  if (keyval == nullptr) return null_argument(nullptr, call, "keyval");
  if (comm::free_keyval(kind, *keyval) != MPI_SUCCESS) return bad_keyval(nullptr, call, *keyval);
  *keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

using namespace weft;

WEFT_API(int, Comm_create_keyval)(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                                  MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
  return api::create("MPI_Comm_create_keyval", comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
}

WEFT_API(int, Comm_free_keyval)(int* comm_keyval) { return api::free("MPI_Comm_free_keyval", comm_keyval); }

WEFT_API(int, Comm_set_attr)(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return api::set("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}

WEFT_API(int, Comm_get_attr)(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  return api::get("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}

WEFT_API(int, Comm_delete_attr)(MPI_Comm comm, int comm_keyval) {
  return api::remove("MPI_Comm_delete_attr", comm, comm_keyval);
}

WEFT_API(int, Keyval_create)(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state) {
  return api::create("MPI_Keyval_create", copy_fn, delete_fn, keyval, extra_state);
}

WEFT_API(int, Keyval_free)(int* keyval) { return api::free("MPI_Keyval_free", keyval); }

WEFT_API(int, Attr_put)(MPI_Comm comm, int keyval, void* attribute_val) {
  return api::set("MPI_Attr_put", comm, keyval, attribute_val);
}

WEFT_API(int, Attr_get)(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return api::get("MPI_Attr_get", comm, keyval, attribute_val, flag);
}

WEFT_API(int, Attr_delete)(MPI_Comm comm, int keyval) { return api::remove("MPI_Attr_delete", comm, keyval); }
