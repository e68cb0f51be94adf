// Attributes of datatypes: the store hangs on the datatype, made when first needed and gone with it. Called by api, under
// the runtime lock.
#pragma once

#include "comm/attribute.hpp"
#include "data/datatype.hpp"

namespace weft::comm {

AttributeStore& attributes_of(data::Datatype& type);       // makes it

// For MPI_Type_dup and MPI_Type_free: the callbacks, in MPI's order; an MPI code.
int copy_type_attributes(const data::Datatype& from, data::Datatype& to);
int delete_type_attributes(data::Datatype& type);

}  // namespace weft::comm
