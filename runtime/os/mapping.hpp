// Mapping: a stretch of mapped memory that unmaps itself, and memory files (memfd) that have no name and so cannot leak.
// reserve_file() makes pages exist before they are touched, so that a full host is an error here and never a SIGBUS later.
#pragma once

#include <cstddef>
#include <utility>

#include "os/expected.hpp"
#include "os/fd.hpp"

namespace weft::os {

class Mapping {
 public:
  Mapping() = default;
  Mapping(void* address, std::size_t bytes) noexcept : address_(address), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::byte* data() const noexcept { return static_cast<std::byte*>(address_); }
  std::size_t bytes() const noexcept { return bytes_; }
  explicit operator bool() const noexcept { return address_ != nullptr; }

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

Expected<Fd> create_memory_file(const char* label, std::size_t bytes);
Expected<Mapping> map_file(const Fd& file, std::size_t bytes);
// Gives the file real pages at [offset, offset + bytes). The note of a failure names need and limit.
Done reserve_file(int file, std::size_t offset, std::size_t bytes);

}  // namespace weft::os
