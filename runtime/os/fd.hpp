// Fd: a file descriptor that closes itself. Moves, never copies. Any thread may own one.
#pragma once

#include <utility>

namespace weft::os {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) noexcept : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) { reset(); number_ = std::exchange(other.number_, -1); }
    return *this;
  }
  ~Fd() { reset(); }

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  int release() noexcept { return std::exchange(number_, -1); }
  void reset() noexcept;

 private:
  int number_ = -1;
};

}  // namespace weft::os
