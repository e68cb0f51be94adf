// Reading and writing message sizes; see settings.hpp.
#include "bench/settings.hpp"

#include <cctype>
#include <charconv>
#include <stdexcept>

namespace weft::bench {
namespace {

std::size_t parse_size(const std::string& text) {
  std::size_t bytes = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, bytes);
  int shift = -1;
  if (rest == end) shift = 0;
  else if (rest + 1 == end) {
    switch (std::tolower(static_cast<unsigned char>(*rest))) {
      case 'k': shift = 10; break;
      case 'm': shift = 20; break;
      case 'g': shift = 30; break;
      default: break;
    }
  }
  constexpr std::size_t largest = std::size_t{1} << 30;
  if (error != std::errc{} || shift < 0 || bytes > (largest >> shift))
    throw std::invalid_argument("'" + text + "' is no size; write bytes up to 1G, such as 8, 4k or 1M");
  return bytes << shift;
}

}  // namespace

std::vector<std::size_t> parse_sizes(const std::string& text) {
  std::vector<std::size_t> sizes;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string piece = text.substr(begin, comma - begin);
    const std::size_t colon = piece.find(':');
    if (colon == std::string::npos) {
      sizes.push_back(parse_size(piece));
    } else {
      const std::size_t last = parse_size(piece.substr(colon + 1));
      for (std::size_t bytes = parse_size(piece.substr(0, colon)); bytes <= last; bytes = bytes == 0 ? 1 : bytes * 2)
        sizes.push_back(bytes);
    }
    begin = comma + 1;
  }
  return sizes;
}

std::string size_text(std::size_t bytes) {
  constexpr std::size_t kilo = 1024;
  if (bytes >= kilo * kilo && bytes % (kilo * kilo) == 0) return std::to_string(bytes / (kilo * kilo)) + "M";
  if (bytes >= kilo && bytes % kilo == 0) return std::to_string(bytes / kilo) + "k";
  return std::to_string(bytes);
}

}  // namespace weft::bench
