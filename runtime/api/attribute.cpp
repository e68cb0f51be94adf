// Attributes of communicators, the predefined ones among them, under their names of today and the deprecated ones.
#include "api/api.hpp"
#include "api/attribute_calls.hpp"
#include "api/handles.hpp"

namespace weft::api {
namespace {

struct OnCommunicator {
  using Object = comm::Communicator;
  static constexpr auto object_kind = comm::ObjectKind::communicator;
  static Object* find(MPI_Comm handle) { return communicator(handle); }
  static int bad(const char* call, MPI_Comm handle) { return bad_communicator(call, handle); }
  static comm::AttributeStore& store(Object& object) { return object.attributes; }
  static comm::ErrorSite site(const Object* on) { return site_of(on); }
  static bool predefined(int keyval, void*& value) { return comm::predefined_attribute(keyval, value); }
};

}  // namespace
}  // namespace weft::api

using namespace weft;
using Kind = api::OnCommunicator;

WEFT_API(int, Comm_create_keyval)(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                                  MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
  return api::create_keyval<Kind>("MPI_Comm_create_keyval", comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
}

WEFT_API(int, Comm_free_keyval)(int* comm_keyval) { return api::free_keyval<Kind>("MPI_Comm_free_keyval", comm_keyval); }

WEFT_API(int, Comm_set_attr)(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return api::set_attribute<Kind>("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}

WEFT_API(int, Comm_get_attr)(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  return api::get_attribute<Kind>("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}

WEFT_API(int, Comm_delete_attr)(MPI_Comm comm, int comm_keyval) {
  return api::delete_attribute<Kind>("MPI_Comm_delete_attr", comm, comm_keyval);
}

WEFT_API(int, Keyval_create)(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state) {
  return api::create_keyval<Kind>("MPI_Keyval_create", copy_fn, delete_fn, keyval, extra_state);
}

WEFT_API(int, Keyval_free)(int* keyval) { return api::free_keyval<Kind>("MPI_Keyval_free", keyval); }

WEFT_API(int, Attr_put)(MPI_Comm comm, int keyval, void* attribute_val) {
  return api::set_attribute<Kind>("MPI_Attr_put", comm, keyval, attribute_val);
}

WEFT_API(int, Attr_get)(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return api::get_attribute<Kind>("MPI_Attr_get", comm, keyval, attribute_val, flag);
}

WEFT_API(int, Attr_delete)(MPI_Comm comm, int keyval) { return api::delete_attribute<Kind>("MPI_Attr_delete", comm, keyval); }
