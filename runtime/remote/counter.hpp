// Counters: an array of 64-bit numbers at a home rank that all members of a communicator add to, compare and swap, read,
// and wait for. Overflow wraps. Under the runtime lock; see words.hpp for how an operation gets there.
#pragma once

#include "remote/object.hpp"

namespace weft::remote {

enum class Until : std::uint8_t { at_least, equal, changed };

class Counter final : public Object {
 public:
  static constexpr std::uint32_t magic_value = 0x57634e74;
  std::uint32_t magic = magic_value;

  explicit Counter(std::unique_ptr<Words> words) : Object(std::move(words)) {}

  // Puts a value there, whatever stands there.
  Status swap(std::size_t index, std::uint64_t value, std::uint64_t& before);
  // Until the number fulfils the condition, or the time is over (`reached` false); `seen` is what stood there last.
  Status wait(std::size_t index, Until until, std::int64_t value, std::int64_t limit_ns, std::int64_t& seen, bool& reached);
};

}  // namespace weft::remote
