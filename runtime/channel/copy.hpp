// Copies of a few bytes without a call: two overlapping words instead of a loop. For the inline room of a slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::channel {

// bytes <= 32
inline void copy_few(void* to, const void* from, std::size_t bytes) noexcept {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  struct Half { std::uint64_t word[2]; };
  if (bytes == 8) [[likely]] {
    std::memcpy(out, in, 8);
  } else if (bytes > 16) {
    Half head, tail;
    std::memcpy(&head, in, 16);
    std::memcpy(&tail, in + bytes - 16, 16);
    std::memcpy(out, &head, 16);
    std::memcpy(out + bytes - 16, &tail, 16);
  } else if (bytes > 8) {
    std::uint64_t head, tail;
    std::memcpy(&head, in, 8);
    std::memcpy(&tail, in + bytes - 8, 8);
    std::memcpy(out, &head, 8);
    std::memcpy(out + bytes - 8, &tail, 8);
  } else if (bytes >= 4) {
    std::uint32_t head, tail;
    std::memcpy(&head, in, 4);
    std::memcpy(&tail, in + bytes - 4, 4);
    std::memcpy(out, &head, 4);
    std::memcpy(out + bytes - 4, &tail, 4);
  } else if (bytes > 0) {
    const std::byte first = in[0], middle = in[bytes / 2], last = in[bytes - 1];
    out[0] = first;
    out[bytes / 2] = middle;
    out[bytes - 1] = last;
  }
}

inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes <= 32) copy_few(to, from, bytes);
  else std::memcpy(to, from, bytes);
}

}  // namespace weft::channel
