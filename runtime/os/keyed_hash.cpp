// SipHash-2-4: two rounds a word of text, four at the end.
#include "os/keyed_hash.hpp"

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace weft::os {
namespace {

struct Lanes {
  std::uint64_t a, b, c, d;

  void round() noexcept {
    a += b; b = std::rotl(b, 13); b ^= a; a = std::rotl(a, 32);
    c += d; d = std::rotl(d, 16); d ^= c;
    a += d; d = std::rotl(d, 21); d ^= a;
    c += b; b = std::rotl(b, 17); b ^= c; c = std::rotl(c, 32);
  }
  void absorb(std::uint64_t word) noexcept {
    d ^= word;
    round();
    round();
    a ^= word;
  }
};

}  // namespace

std::uint64_t keyed_hash(const SecretKey& key, const void* data, std::size_t bytes) noexcept {
  Lanes lanes{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
  const auto* from = static_cast<const std::byte*>(data);
  std::uint64_t word = 0;
  for (std::size_t left = bytes; left >= 8; left -= 8, from += 8) {
    std::memcpy(&word, from, 8);
    lanes.absorb(word);
  }
  word = 0;
  std::memcpy(&word, from, bytes % 8);
  lanes.absorb(word | std::uint64_t{bytes} << 56);
  lanes.c ^= 0xff;
  for (int i = 0; i < 4; ++i) lanes.round();
  return lanes.a ^ lanes.b ^ lanes.c ^ lanes.d;
}

bool fill_random(void* into, std::size_t bytes) noexcept {
  auto* at = static_cast<std::byte*>(into);
  while (bytes > 0) {
    const ssize_t count = ::getrandom(at, bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace weft::os
