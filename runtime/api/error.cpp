// Error classes, codes and their words: allowed at any time; errors belong to no object.
#include <cstring>

#include "api/api.hpp"
#include "comm/error_class.hpp"

namespace weft::api {
namespace {

int bad_code(const char* call, const char* argument, int code) {
  return raise(nullptr, MPI_ERR_ARG, call, argument, code, "a class or code of MPI or one the program added");
}

int bad_removal(const char* call, const char* argument, int code) {
  return raise(nullptr, MPI_ERR_ARG, call, argument, code, "one the program added and nothing else stands on");
}

}  // namespace
}  // namespace weft::api

using namespace weft;

WEFT_API(int, Error_class)(int errorcode, int* errorclass) {
  constexpr const char* call = "MPI_Error_class";
  const api::AnyTimeGuard guard;
  if (errorclass == nullptr) return api::null_argument(nullptr, call, "errorclass");
  const int found = comm::error_class_of_code(errorcode);
  if (found < 0) return api::bad_code(call, "errorcode", errorcode);
  *errorclass = found;
  return MPI_SUCCESS;
}

WEFT_API(int, Error_string)(int errorcode, char* string, int* resultlen) {
  constexpr const char* call = "MPI_Error_string";
  const api::AnyTimeGuard guard;
  if (string == nullptr) return api::null_argument(nullptr, call, "string");
  if (resultlen == nullptr) return api::null_argument(nullptr, call, "resultlen");
  const char* words = comm::error_words(errorcode);
  if (words == nullptr) return api::bad_code(call, "errorcode", errorcode);
  const char* name = comm::error_class_name(errorcode);
  std::string text(words);
  if (*name != '\0') text = std::string(name).append(": ").append(words);
  text.resize(std::min<std::size_t>(text.size(), MPI_MAX_ERROR_STRING - 1));
  std::memcpy(string, text.c_str(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

WEFT_API(int, Add_error_class)(int* errorclass) {
  const api::AnyTimeGuard guard;
  if (errorclass == nullptr) return api::null_argument(nullptr, "MPI_Add_error_class", "errorclass");
  *errorclass = comm::add_error_class();
  return MPI_SUCCESS;
}

WEFT_API(int, Add_error_code)(int errorclass, int* errorcode) {
  constexpr const char* call = "MPI_Add_error_code";
  const api::AnyTimeGuard guard;
  if (errorcode == nullptr) return api::null_argument(nullptr, call, "errorcode");
  const int added = comm::add_error_code(errorclass);
  if (added < 0) return api::bad_code(call, "errorclass", errorclass);
  *errorcode = added;
  return MPI_SUCCESS;
}

WEFT_API(int, Add_error_string)(int errorcode, const char* string) {
  constexpr const char* call = "MPI_Add_error_string";
  const api::AnyTimeGuard guard;
  if (string == nullptr) return api::null_argument(nullptr, call, "string");
  if (comm::add_error_string(errorcode, string)) return MPI_SUCCESS;
  return api::raise(nullptr, MPI_ERR_ARG, call, "errorcode", errorcode, "a class or code the program added");
}

WEFT_API(int, Remove_error_class)(int errorclass) {
  const api::AnyTimeGuard guard;
  if (comm::remove_error_class(errorclass)) return MPI_SUCCESS;
  return api::bad_removal("MPI_Remove_error_class", "errorclass", errorclass);
}

WEFT_API(int, Remove_error_code)(int errorcode) {
  const api::AnyTimeGuard guard;
  if (comm::remove_error_code(errorcode)) return MPI_SUCCESS;
  return api::bad_removal("MPI_Remove_error_code", "errorcode", errorcode);
}

WEFT_API(int, Remove_error_string)(int errorcode) {
  const api::AnyTimeGuard guard;
  if (comm::remove_error_string(errorcode)) return MPI_SUCCESS;
  return api::raise(nullptr, MPI_ERR_ARG, "MPI_Remove_error_string", "errorcode", errorcode, "a class or code with a string");
}
