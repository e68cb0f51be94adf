// MPI_Info_*: allowed at any time, also before initialisation; errors belong to no object.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "comm/info.hpp"

namespace weft::api {
namespace {

// MPI_SUCCESS, or what the bad key or value raised.
int check_key(const char* call, const char* key) {
  if (key == nullptr) return raise(nullptr, MPI_ERR_INFO_KEY, call, "key", nullptr, "a text");
  const std::size_t length = std::strlen(key);
  if (length != 0 && length < MPI_MAX_INFO_KEY) return MPI_SUCCESS;
  return raise(nullptr, MPI_ERR_INFO_KEY, call, "the length of key", length, "1 .. 255");
}

int check_value(const char* call, const char* value) {
  if (value == nullptr) return raise(nullptr, MPI_ERR_INFO_VALUE, call, "value", nullptr, "a text");
  const std::size_t length = std::strlen(value);
  if (length != 0 && length < MPI_MAX_INFO_VAL) return MPI_SUCCESS;
  return raise(nullptr, MPI_ERR_INFO_VALUE, call, "the length of value", length, "1 .. 1023");
}

// Copies what fits of `text` in `room` bytes, the closing null byte among them.
void copy_out(std::string_view text, char* out, std::size_t room) {
  if (room == 0) return;
  const std::size_t length = std::min(text.size(), room - 1);
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

}  // namespace
}  // namespace weft::api

using namespace weft;

WEFT_API(int, Info_create)(MPI_Info* info) {
  const api::AnyTimeGuard guard;
  if (info == nullptr) return api::null_argument(nullptr, "MPI_Info_create", "info");
  *info = api::handle_of(*comm::make_info());
  return MPI_SUCCESS;
}

WEFT_API(int, Info_create_env)(int, char**, MPI_Info* info) {
  const api::AnyTimeGuard guard;
  if (info == nullptr) return api::null_argument(nullptr, "MPI_Info_create_env", "info");
  comm::Info* made = comm::make_info();
  comm::describe_program(*made);             // the same before, during and after
  *info = api::handle_of(*made);
  return MPI_SUCCESS;
}

WEFT_API(int, Info_dup)(MPI_Info info, MPI_Info* newinfo) {
  constexpr const char* call = "MPI_Info_dup";
  const api::AnyTimeGuard guard;
  const comm::Info* from = api::info(info);
  if (from == nullptr) return api::bad_info(call, info);
  if (newinfo == nullptr) return api::null_argument(nullptr, call, "newinfo");
  *newinfo = api::handle_of(*comm::duplicate(*from));
  return MPI_SUCCESS;
}

WEFT_API(int, Info_free)(MPI_Info* info) {
  constexpr const char* call = "MPI_Info_free";
  const api::AnyTimeGuard guard;
  if (info == nullptr) return api::null_argument(nullptr, call, "info");
  comm::Info* object = api::info(*info);
  if (object == nullptr || *info == MPI_INFO_ENV) return api::bad_info(call, *info);
  comm::release(*object);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

WEFT_API(int, Info_set)(MPI_Info info, const char* key, const char* value) {
  constexpr const char* call = "MPI_Info_set";
  const api::AnyTimeGuard guard;
  comm::Info* object = api::info(info);
  if (object == nullptr) return api::bad_info(call, info);
  if (const int code = api::check_key(call, key); code != MPI_SUCCESS) return code;
  if (const int code = api::check_value(call, value); code != MPI_SUCCESS) return code;
  object->set(key, value);
  return MPI_SUCCESS;
}

WEFT_API(int, Info_delete)(MPI_Info info, const char* key) {
  constexpr const char* call = "MPI_Info_delete";
  const api::AnyTimeGuard guard;
  comm::Info* object = api::info(info);
  if (object == nullptr) return api::bad_info(call, info);
  if (const int code = api::check_key(call, key); code != MPI_SUCCESS) return code;
  if (object->remove(key)) return MPI_SUCCESS;
  return api::raise(nullptr, MPI_ERR_INFO_NOKEY, call, "key", key, "a key of this info");
}

WEFT_API(int, Info_get_nkeys)(MPI_Info info, int* nkeys) {
  constexpr const char* call = "MPI_Info_get_nkeys";
  const api::AnyTimeGuard guard;
  const comm::Info* object = api::info(info);
  if (object == nullptr) return api::bad_info(call, info);
  if (nkeys == nullptr) return api::null_argument(nullptr, call, "nkeys");
  *nkeys = object->size();
  return MPI_SUCCESS;
}

WEFT_API(int, Info_get_nthkey)(MPI_Info info, int n, char* key) {
  constexpr const char* call = "MPI_Info_get_nthkey";
  const api::AnyTimeGuard guard;
  const comm::Info* object = api::info(info);
  if (object == nullptr) return api::bad_info(call, info);
  if (key == nullptr) return api::null_argument(nullptr, call, "key");
  if (n < 0 || n >= object->size()) return api::raise(nullptr, MPI_ERR_ARG, call, "n", n, "0 .. the number of keys - 1");
  api::copy_out(object->entry(n).first, key, MPI_MAX_INFO_KEY);
  return MPI_SUCCESS;
}

WEFT_API(int, Info_get_string)(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
  constexpr const char* call = "MPI_Info_get_string";
  const api::AnyTimeGuard guard;
  const comm::Info* object = api::info(info);
  if (object == nullptr) return api::bad_info(call, info);
  if (const int code = api::check_key(call, key); code != MPI_SUCCESS) return code;
  if (buflen == nullptr) return api::null_argument(nullptr, call, "buflen");
  if (*buflen < 0) return api::raise(nullptr, MPI_ERR_ARG, call, "buflen", *buflen, "0 or more");
  if (*buflen > 0 && value == nullptr) return api::null_argument(nullptr, call, "value");
  if (flag == nullptr) return api::null_argument(nullptr, call, "flag");
  const std::string* found = object->find(key);
  *flag = found != nullptr ? 1 : 0;
  if (found == nullptr) return MPI_SUCCESS;
  api::copy_out(*found, value, static_cast<std::size_t>(*buflen));
  *buflen = static_cast<int>(found->size()) + 1;       // the room it needs, with the closing null byte
  return MPI_SUCCESS;
}

WEFT_API(int, Info_get)(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  constexpr const char* call = "MPI_Info_get";
  const api::AnyTimeGuard guard;
  const comm::Info* object = api::info(info);
  if (object == nullptr) return api::bad_info(call, info);
  if (const int code = api::check_key(call, key); code != MPI_SUCCESS) return code;
  if (valuelen < 0) return api::raise(nullptr, MPI_ERR_ARG, call, "valuelen", valuelen, "0 or more");
  if (value == nullptr) return api::null_argument(nullptr, call, "value");
  if (flag == nullptr) return api::null_argument(nullptr, call, "flag");
  const std::string* found = object->find(key);
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) api::copy_out(*found, value, static_cast<std::size_t>(valuelen) + 1);   // valuelen leaves the null byte out
  return MPI_SUCCESS;
}

WEFT_API(int, Info_get_valuelen)(MPI_Info info, const char* key, int* valuelen, int* flag) {
  constexpr const char* call = "MPI_Info_get_valuelen";
  const api::AnyTimeGuard guard;
  const comm::Info* object = api::info(info);
  if (object == nullptr) return api::bad_info(call, info);
  if (const int code = api::check_key(call, key); code != MPI_SUCCESS) return code;
  if (valuelen == nullptr) return api::null_argument(nullptr, call, "valuelen");
  if (flag == nullptr) return api::null_argument(nullptr, call, "flag");
  const std::string* found = object->find(key);
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) *valuelen = static_cast<int>(found->size());
  return MPI_SUCCESS;
}
