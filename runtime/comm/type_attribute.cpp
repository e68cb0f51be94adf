// The store behind data::Datatype::attributes.
#include "comm/type_attribute.hpp"

#include <mpi.h>

#include <utility>

namespace weft::comm {
namespace {

void* handle_of(const data::Datatype& type) { return reinterpret_cast<void*>(type.handle()); }

// A type may outlive MPI_Type_free, inside others or in a transfer; its attributes went then. What is left is the store.
void drop_store(data::Datatype* type) { delete static_cast<AttributeStore*>(std::exchange(type->attributes, nullptr)); }

}  // namespace

AttributeStore& attributes_of(data::Datatype& type) {
  if (type.attributes == nullptr) {
    type.attributes = new AttributeStore;
    type.on_destroy = drop_store;
  }
  return *static_cast<AttributeStore*>(type.attributes);
}

int copy_type_attributes(const data::Datatype& from, data::Datatype& to) {
  if (from.attributes == nullptr) return MPI_SUCCESS;
  return copy_attributes(*static_cast<const AttributeStore*>(from.attributes), attributes_of(to), ObjectKind::datatype, handle_of(from));
}

int delete_type_attributes(data::Datatype& type) {
  if (type.attributes == nullptr) return MPI_SUCCESS;
  return delete_all_attributes(attributes_of(type), ObjectKind::datatype, handle_of(type));
}

}  // namespace weft::comm
