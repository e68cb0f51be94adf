// Copies to and from memory that another core looks at or changes meanwhile, which is what remote memory is. Up to a size
// each word moves on its own, in address order, so that whoever polls sees a whole word or the one before; beyond it the
// body is copied at once and only the last line is treated so: nobody polls inside of large payloads. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::fabric {

inline constexpr std::size_t word_wise_bytes = 1024;

namespace detail {
inline bool is_word_aligned(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address) % sizeof(std::uint64_t) == 0; }

template <class Word>
void store(std::byte* to, const std::byte* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  __atomic_store_n(reinterpret_cast<Word*>(to), word, __ATOMIC_RELEASE);
}
template <class Word>
void load(std::byte* to, const std::byte* from) noexcept {
  const Word word = __atomic_load_n(reinterpret_cast<const Word*>(from), __ATOMIC_ACQUIRE);
  std::memcpy(to, &word, sizeof word);
}
}  // namespace detail

// Into shared memory: the last word becomes visible last.
inline void copy_out(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  std::size_t at = 0;
  if (bytes > word_wise_bytes && detail::is_word_aligned(to)) {
    at = (bytes - 64) & ~std::size_t{7};
    std::memcpy(to, from, at);
  }
  for (; at < bytes && !detail::is_word_aligned(to + at); ++at) detail::store<std::uint8_t>(to + at, from + at);
  for (; at + 8 <= bytes; at += 8) detail::store<std::uint64_t>(to + at, from + at);
  for (; at < bytes; ++at) detail::store<std::uint8_t>(to + at, from + at);
}

// Out of shared memory.
inline void copy_in(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes > word_wise_bytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::size_t at = 0;
  for (; at < bytes && !detail::is_word_aligned(from + at); ++at) detail::load<std::uint8_t>(to + at, from + at);
  for (; at + 8 <= bytes; at += 8) detail::load<std::uint64_t>(to + at, from + at);
  for (; at < bytes; ++at) detail::load<std::uint8_t>(to + at, from + at);
}

}  // namespace weft::fabric
