// One call of a datatype constructor: checks its arguments, remembers the first error, delivers the new type's handle.
#pragma once

#include <fmt/format.h>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/type_contents.hpp"

namespace weft::api {

class Making {
 public:
  Making(const char* call, MPI_Datatype* new_type) : call_(call), new_type_(new_type) {
    if (new_type == nullptr) code_ = null_argument(nullptr, call, "newtype");
  }

  int failed() const { return code_; }

  // The checks: false after one failed.
  const data::Datatype* element(MPI_Datatype handle) {
    const data::Datatype* type = datatype(handle);
    if (type == nullptr && code_ == MPI_SUCCESS) code_ = bad_datatype(call_, handle);
    return code_ == MPI_SUCCESS ? type : nullptr;
  }
  bool not_negative(const char* argument, std::int64_t count) {
    if (count < 0 && code_ == MPI_SUCCESS) code_ = raise(nullptr, MPI_ERR_COUNT, call_, argument, count, "0 or more");
    return code_ == MPI_SUCCESS;
  }
  bool good_length(std::int64_t length) {
    return check(length >= 0, "blocklength", length, "0 or more");
  }
  template <typename T>
  bool good_list(const char* argument, std::int64_t count, const T* list) {
    if (!not_negative("count", count)) return false;
    if (list == nullptr && count > 0) code_ = null_argument(nullptr, call_, argument);
    return code_ == MPI_SUCCESS;
  }
  template <typename Count, typename Address>
  bool good_blocks(std::int64_t count, const Count* lengths, const Address* displacements) {
    if (!good_list("blocklengths", count, lengths) || !good_list("displacements", count, displacements)) return false;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!good_length(lengths[i])) return false;
    }
    return true;
  }
  bool check(bool good, const char* argument, const Value& value, std::string_view limit) {
    if (!good && code_ == MPI_SUCCESS) code_ = raise(nullptr, MPI_ERR_ARG, call_, argument, value, limit);
    return code_ == MPI_SUCCESS;
  }

  template <typename Count>
  int finish(data::Datatype* made, TypeArguments<Count>& arguments) {
    if (code_ != MPI_SUCCESS) {
      if (made != nullptr) data::release(made);
      return code_;
    }
    if (made == nullptr) return raise_text(nullptr, MPI_ERR_COUNT, call_, "the size or the bounds of the type pass 64 bits, or memory is out");
    arguments.give_to(made);
    *new_type_ = handle_of(*made);
    return MPI_SUCCESS;
  }

 private:
  const char* call_;
  MPI_Datatype* new_type_;
  int code_ = MPI_SUCCESS;
};

}  // namespace weft::api
