// Expected<T>: a value, or a Failure with a note in words. For set-up paths only (it carries a string); running paths
// return Status. Works without exceptions: asking an Expected for what it does not hold ends the process by name.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "os/require.hpp"
#include "os/status.hpp"

namespace weft {

struct Failure {
  Status status = Status::internal;
  std::string note;   // what was tried, on what, with which value; no trailing full stop
};

// A failed system call: "open /x: Permission denied".
Failure system_failure(std::string what, int error);

template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}                 // NOLINT: implicit on purpose
  Expected(Failure failure) : failure_(std::move(failure)) {}     // NOLINT: implicit on purpose

  explicit operator bool() const noexcept { return value_.has_value(); }
  T& operator*() { WEFT_REQUIRE(value_.has_value()); return *value_; }
  const T& operator*() const { WEFT_REQUIRE(value_.has_value()); return *value_; }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const Failure& failure() const { WEFT_REQUIRE(!value_.has_value()); return failure_; }

 private:
  std::optional<T> value_;
  Failure failure_;
};

struct Nothing {};
using Done = Expected<Nothing>;   // for functions that only succeed or fail

}  // namespace weft
