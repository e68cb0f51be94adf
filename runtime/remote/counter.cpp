// What counters do beyond single operations.
#include "remote/counter.hpp"

#include "remote/watch.hpp"

namespace weft::remote {

Status Counter::swap(std::size_t index, std::uint64_t value, std::uint64_t& before) {
  std::uint64_t expected = 0;
  if (const Status status = words().read(index, expected); status != Status::ok) return status;
  for (;;) {
    if (const Status status = words().compare_swap(index, expected, value, before); status != Status::ok) return status;
    if (before == expected) return Status::ok;
    expected = before;
  }
}

Status Counter::wait(std::size_t index, Until until, std::int64_t value, std::int64_t limit_ns, std::int64_t& seen, bool& reached) {
  Status status = Status::ok;
  const auto look = [&] {
    std::uint64_t now = 0;
    status = words().read(index, now);
    if (status != Status::ok) return true;
    seen = static_cast<std::int64_t>(now);
    switch (until) {
      case Until::at_least: return seen >= value;
      case Until::equal: return seen == value;
      case Until::changed: return seen != value;
    }
    return false;
  };
  reached = watch(words(), Pace{.ringing = index}, limit_ns, look) && status == Status::ok;
  return status;
}

}  // namespace weft::remote
