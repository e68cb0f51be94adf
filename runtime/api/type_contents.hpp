// The arguments of a datatype constructor, collected for MPI_Type_get_contents while the type is made. The int form keeps
// counts as integers and displacements as addresses; the MPI_Count form keeps both as large counts.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "data/datatype.hpp"

namespace weft::api {

using Numbers = std::vector<std::int64_t>;

template <typename Count>
Numbers widened(const Count* values, std::int64_t count) {
  return count == 0 ? Numbers{} : Numbers(values, values + count);
}

template <typename Count>
class TypeArguments {
 public:
  static constexpr bool large = !std::is_same_v<Count, int>;

  explicit TypeArguments(int combiner) : contents_(std::make_unique<data::Contents>()) { contents_->combiner = combiner; }

  TypeArguments& integer(int value) {
    contents_->integers.push_back(value);
    return *this;
  }
  TypeArguments& integers(const int* values, int count) {
    contents_->integers.insert(contents_->integers.end(), values, values + count);
    return *this;
  }
  TypeArguments& count(Count value) {
    if constexpr (large) contents_->large_counts.push_back(value);
    else contents_->integers.push_back(value);
    return *this;
  }
  TypeArguments& counts(const Numbers& values) {
    for (const std::int64_t value : values) count(static_cast<Count>(value));
    return *this;
  }
  TypeArguments& address(std::int64_t value) {
    (large ? contents_->large_counts : contents_->addresses).push_back(value);
    return *this;
  }
  TypeArguments& addresses(const Numbers& values) {
    for (const std::int64_t value : values) address(value);
    return *this;
  }
  TypeArguments& type(const data::Datatype* type) {
    contents_->types.push_back(type);
    return *this;
  }
  // Hands the arguments to the type.
  void give_to(data::Datatype* made) {
    for (const data::Datatype* part : contents_->types) data::retain(part);
    made->contents = contents_.release();
  }

 private:
  std::unique_ptr<data::Contents> contents_;
};

}  // namespace weft::api
