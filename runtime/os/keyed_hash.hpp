// A keyed hash (SipHash-2-4, Aumasson and Bernstein 2012): who does not know the key cannot tell the hash of any text. For
// proofs in short greetings, where guessing 64 bits takes a connection a try. Random bytes for keys. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::os {

using SecretKey = std::array<std::uint64_t, 2>;

std::uint64_t keyed_hash(const SecretKey& key, const void* data, std::size_t bytes) noexcept;

// From the kernel's generator; false: it has none.
bool fill_random(void* into, std::size_t bytes) noexcept;

}  // namespace weft::os
