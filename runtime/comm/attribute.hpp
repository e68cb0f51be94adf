// Attributes cached on communicators, datatypes and windows: keyvals with the program's copy and delete callbacks, and
// the store each object holds. MPI's rules: callbacks run in order of setting, an error of one stops the operation and is
// returned; a freed keyval lives until the last attribute under it is gone. Called by api, under the runtime lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/object.hpp"

namespace weft::comm {

// The three kinds of object have callbacks that differ in the handle's type only; handles are pointers in C.
using AttributeCopy = int (*)(void* handle, int keyval, void* extra_state, void* value_in, void* value_out, int* flag);
using AttributeDelete = int (*)(void* handle, int keyval, void* value, void* extra_state);

class AttributeStore {
 public:
  struct Entry {
    int keyval;
    void* value;
  };
  bool empty() const noexcept { return entries.empty(); }
  std::vector<Entry> entries;          // in order of setting; callbacks may change it while it is walked
};

// All return an MPI error class or the code a callback gave.
int create_keyval(ObjectKind kind, AttributeCopy copy, AttributeDelete remove, void* extra_state, int& keyval);
int free_keyval(ObjectKind kind, int keyval);
bool valid_keyval(ObjectKind kind, int keyval) noexcept;    // may be set
bool known_keyval(ObjectKind kind, int keyval) noexcept;    // freed or not: attributes under it live on

int set_attribute(AttributeStore& store, ObjectKind kind, void* handle, int keyval, void* value);
int delete_attribute(AttributeStore& store, ObjectKind kind, void* handle, int keyval);
bool get_attribute(const AttributeStore& store, int keyval, void*& value) noexcept;
int copy_attributes(const AttributeStore& from, AttributeStore& to, ObjectKind kind, void* old_handle);
int delete_all_attributes(AttributeStore& store, ObjectKind kind, void* handle);   // last set, first deleted

}  // namespace weft::comm
