// The two-way table.
#include "comm/integer_handle.hpp"

#include <unordered_map>
#include <vector>

namespace weft::comm {
namespace {

constexpr int first_integer = 4096;         // predefined handles are below

struct Table {
  std::unordered_map<std::uintptr_t, int> integers;
  std::vector<std::uintptr_t> handles;      // by integer - first_integer
};

Table& table() {
  static Table instance;
  return instance;
}

}  // namespace

int integer_of(std::uintptr_t handle) {
  if (handle < first_integer) return static_cast<int>(handle);
  Table& known = table();
  const auto [at, is_new] = known.integers.try_emplace(handle, first_integer + static_cast<int>(known.handles.size()));
  if (is_new) known.handles.push_back(handle);
  return at->second;
}

std::uintptr_t handle_of_integer(int integer) noexcept {
  if (integer >= 0 && integer < first_integer) return static_cast<std::uintptr_t>(integer);
  const auto index = static_cast<std::size_t>(integer) - static_cast<std::size_t>(first_integer);
  return integer >= 0 && index < table().handles.size() ? table().handles[index] : 0;
}

}  // namespace weft::comm
