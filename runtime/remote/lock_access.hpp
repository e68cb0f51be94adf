// A lock's operations on its words, with the first failure kept: after one nothing succeeds any more.
#pragma once

#include "remote/lock.hpp"

namespace weft::remote {

inline std::uint32_t next_of(std::uint64_t tickets) noexcept { return static_cast<std::uint32_t>(tickets >> 32); }
inline std::uint32_t served_of(std::uint64_t tickets) noexcept { return static_cast<std::uint32_t>(tickets); }
inline std::uint64_t tickets_of(std::uint32_t next, std::uint32_t served) noexcept { return static_cast<std::uint64_t>(next) << 32 | served; }

struct Lock::Access {
  Words& words;
  Status status = Status::ok;

  bool ok() const noexcept { return status == Status::ok; }
  std::uint64_t read(std::size_t index) {
    std::uint64_t value = 0;
    if (ok()) status = words.read(index, value);
    return value;
  }
  std::uint64_t add(std::size_t index, std::uint64_t value) {
    std::uint64_t before = 0;
    if (ok()) status = words.fetch_add(index, value, before);
    return before;
  }
  bool swap(std::size_t index, std::uint64_t expected, std::uint64_t desired, std::uint64_t& found) {
    if (ok()) status = words.compare_swap(index, expected, desired, found);
    return ok() && found == expected;
  }
  bool swap(std::size_t index, std::uint64_t expected, std::uint64_t desired) {
    std::uint64_t found = 0;
    return swap(index, expected, desired, found);
  }
};

}  // namespace weft::remote
