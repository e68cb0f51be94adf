// Attributes of datatypes.
#include "api/api.hpp"
#include "api/attribute_calls.hpp"
#include "api/handles.hpp"
#include "comm/type_attribute.hpp"

namespace weft::api {
namespace {

struct OnDatatype {
  using Object = data::Datatype;
  static constexpr auto object_kind = comm::ObjectKind::datatype;
  static Object* find(MPI_Datatype handle) { return datatype(handle); }
  static int bad(const char* call, MPI_Datatype handle) { return bad_datatype(call, handle); }
  static comm::AttributeStore& store(Object& object) { return comm::attributes_of(object); }
  static comm::ErrorSite site(const Object*) { return site_of(nullptr); }
  static bool predefined(int, void*&) { return false; }
};

}  // namespace
}  // namespace weft::api

using namespace weft;
using Kind = api::OnDatatype;

WEFT_API(int, Type_create_keyval)(MPI_Type_copy_attr_function* type_copy_attr_fn,
                                  MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
  return api::create_keyval<Kind>("MPI_Type_create_keyval", type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
}

WEFT_API(int, Type_free_keyval)(int* type_keyval) { return api::free_keyval<Kind>("MPI_Type_free_keyval", type_keyval); }

WEFT_API(int, Type_set_attr)(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  return api::set_attribute<Kind>("MPI_Type_set_attr", datatype, type_keyval, attribute_val);
}

WEFT_API(int, Type_get_attr)(MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
  return api::get_attribute<Kind>("MPI_Type_get_attr", datatype, type_keyval, attribute_val, flag);
}

WEFT_API(int, Type_delete_attr)(MPI_Datatype datatype, int type_keyval) {
  return api::delete_attribute<Kind>("MPI_Type_delete_attr", datatype, type_keyval);
}
