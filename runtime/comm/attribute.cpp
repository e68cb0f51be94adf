// The table of keyvals, and running the program's callbacks.
#include "comm/attribute.hpp"

#include <mpi.h>

#include <algorithm>

namespace weft::comm {
namespace {

struct Keyval {
  ObjectKind kind = ObjectKind::communicator;
  bool in_use = false;
  bool freed = false;               // by the program; attributes under it may live on
  AttributeCopy copy = nullptr;
  AttributeDelete remove = nullptr;
  void* extra_state = nullptr;
  int attributes = 0;               // set under it, over all objects
};

constexpr int first_keyval = 0x1000;   // above mpi.h's predefined ones

std::vector<Keyval>& keyvals() {
  static std::vector<Keyval> table;
  return table;
}

Keyval* find(int keyval) noexcept {
  const auto index = static_cast<std::size_t>(keyval) - static_cast<std::size_t>(first_keyval);
  if (keyval < first_keyval || index >= keyvals().size() || !keyvals()[index].in_use) return nullptr;
  return &keyvals()[index];
}

void drop_if_done(Keyval& entry) noexcept {
  if (entry.freed && entry.attributes == 0) entry.in_use = false;
}

auto position(AttributeStore& store, int keyval) noexcept {
  return std::find_if(store.entries.begin(), store.entries.end(), [=](const auto& e) { return e.keyval == keyval; });
}

int run_delete(int keyval, void* handle, void* value) {
  const Keyval entry = *find(keyval);     // a copy: the callback may create keyvals
  return entry.remove == nullptr ? MPI_SUCCESS : entry.remove(handle, keyval, value, entry.extra_state);
}

// The copy callback's answer for one attribute. mpi.h spells "always" as the number 1 and "never" as null.
int run_copy(int keyval, void* handle, void* value_in, void*& value_out, int& flag) {
  const Keyval entry = *find(keyval);
  flag = 0;
  if (entry.copy == nullptr) return MPI_SUCCESS;
  if (entry.copy == reinterpret_cast<AttributeCopy>(1)) {
    value_out = value_in;
    flag = 1;
    return MPI_SUCCESS;
  }
  return entry.copy(handle, keyval, entry.extra_state, value_in, static_cast<void*>(&value_out), &flag);
}

void forget(AttributeStore& store, int keyval) {
  const auto at = position(store, keyval);
  if (at == store.entries.end()) return;      // the callback deleted it itself
  store.entries.erase(at);
  Keyval& entry = *find(keyval);
  --entry.attributes;
  drop_if_done(entry);
}

}  // namespace

int create_keyval(ObjectKind kind, AttributeCopy copy, AttributeDelete remove, void* extra_state, int& keyval) {
  auto& table = keyvals();
  std::size_t index = 0;
  while (index < table.size() && table[index].in_use) ++index;
  if (index == table.size()) table.emplace_back();
  table[index] = Keyval{kind, true, false, copy, remove, extra_state, 0};
  keyval = first_keyval + static_cast<int>(index);
  return MPI_SUCCESS;
}

bool valid_keyval(ObjectKind kind, int keyval) noexcept {
  const Keyval* entry = find(keyval);
  return entry != nullptr && entry->kind == kind && !entry->freed;
}

bool known_keyval(ObjectKind kind, int keyval) noexcept {
  const Keyval* entry = find(keyval);
  return entry != nullptr && entry->kind == kind;
}

int free_keyval(ObjectKind kind, int keyval) {
  if (!known_keyval(kind, keyval)) return MPI_ERR_KEYVAL;
  Keyval& entry = *find(keyval);      // freeing one that lives on under attributes again is no error
  entry.freed = true;
  drop_if_done(entry);
  return MPI_SUCCESS;
}

int set_attribute(AttributeStore& store, ObjectKind kind, void* handle, int keyval, void* value) {
  if (!valid_keyval(kind, keyval)) return MPI_ERR_KEYVAL;
  if (const auto at = position(store, keyval); at != store.entries.end()) {
    if (const int code = run_delete(keyval, handle, at->value); code != MPI_SUCCESS) return code;
    if (const auto again = position(store, keyval); again != store.entries.end()) {
      again->value = value;
      return MPI_SUCCESS;
    }
  }
  store.entries.push_back({keyval, value});
  ++find(keyval)->attributes;
  return MPI_SUCCESS;
}

int delete_attribute(AttributeStore& store, ObjectKind kind, void* handle, int keyval) {
  const Keyval* entry = find(keyval);
  if (entry == nullptr || entry->kind != kind) return MPI_ERR_KEYVAL;
  const auto at = position(store, keyval);
  if (at == store.entries.end()) return MPI_SUCCESS;
  if (const int code = run_delete(keyval, handle, at->value); code != MPI_SUCCESS) return code;
  forget(store, keyval);
  return MPI_SUCCESS;
}

bool get_attribute(const AttributeStore& store, int keyval, void*& value) noexcept {
  for (const auto& entry : store.entries) {
    if (entry.keyval != keyval) continue;
    value = entry.value;
    return true;
  }
  return false;
}

int copy_attributes(const AttributeStore& from, AttributeStore& to, ObjectKind, void* old_handle) {
  const std::vector<AttributeStore::Entry> entries = from.entries;      // callbacks may change the store
  for (const auto& [keyval, value] : entries) {
    int flag = 0;
    void* copied = nullptr;
    if (const int code = run_copy(keyval, old_handle, value, copied, flag); code != MPI_SUCCESS) return code;
    if (flag == 0) continue;
    to.entries.push_back({keyval, copied});
    ++find(keyval)->attributes;
  }
  return MPI_SUCCESS;
}

int delete_all_attributes(AttributeStore& store, ObjectKind, void* handle) {
  while (!store.entries.empty()) {
    const auto [keyval, value] = store.entries.back();
    if (const int code = run_delete(keyval, handle, value); code != MPI_SUCCESS) return code;
    forget(store, keyval);
  }
  return MPI_SUCCESS;
}

}  // namespace weft::comm
