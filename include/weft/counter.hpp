// Counters at a rank: numbers that all ranks of a communicator change with atomic operations. See weft.h for what is promised.
//     weft::Counter next(world, 0);                       // collective; at rank 0, from 0
//     for (auto task = next++; task < tasks; task = next++) work(task);
#pragma once

#include <weft.h>

#include "comm.hpp"

#include <chrono>
#include <optional>

namespace weft {

// A time limit of a wait; negative: none.
using Seconds = std::chrono::duration<double>;
inline constexpr Seconds no_limit{WEFT_NO_LIMIT};

class Counter {
 public:
  // Collective, as is the end of the object's life: every rank must leave its scope.
  explicit Counter(const Comm& comm, int home = 0, std::int64_t initial = 0, int count = 1)
  {
    check(weft_counter_create(comm.handle(), home, count, initial, &handle_), "weft_counter_create");
  }
  Counter(Counter&& other) noexcept : handle_(std::exchange(other.handle_, WEFT_COUNTER_NULL)) {}
  Counter& operator=(Counter&& other) noexcept
  {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Counter()
  {
    if (handle_ != WEFT_COUNTER_NULL) weft_counter_free(&handle_);
  }

  // What stood there before.
  std::int64_t fetch_add(std::int64_t add, int index = 0)
  {
    std::int64_t before = 0;
    check(weft_counter_fetch_add(handle_, index, add, &before), "weft_counter_fetch_add");
    return before;
  }
  std::int64_t operator++(int) { return fetch_add(1); }
  std::int64_t operator--(int) { return fetch_add(-1); }

  std::int64_t swap(std::int64_t value, int index = 0)
  {
    std::int64_t before = 0;
    check(weft_counter_swap(handle_, index, value, &before), "weft_counter_swap");
    return before;
  }
  // As std::atomic has it: true if `expected` stood there and `desired` does now, else `expected` becomes what stands there.
  bool compare_exchange(std::int64_t& expected, std::int64_t desired, int index = 0)
  {
    std::int64_t before = 0;
    check(weft_counter_compare_swap(handle_, index, expected, desired, &before), "weft_counter_compare_swap");
    return std::exchange(expected, before) == before;
  }
  [[nodiscard]] std::int64_t read(int index = 0) const
  {
    std::int64_t value = 0;
    check(weft_counter_read(handle_, index, &value), "weft_counter_read");
    return value;
  }

  // Each answers the number that ended the wait, or nothing when the time was over.
  std::optional<std::int64_t> wait_at_least(std::int64_t value, int index = 0, Seconds limit = no_limit) const
  {
    return wait(WEFT_AT_LEAST, value, index, limit);
  }
  std::optional<std::int64_t> wait_equal(std::int64_t value, int index = 0, Seconds limit = no_limit) const
  {
    return wait(WEFT_EQUAL, value, index, limit);
  }
  std::optional<std::int64_t> wait_changed(std::int64_t from, int index = 0, Seconds limit = no_limit) const
  {
    return wait(WEFT_CHANGED, from, index, limit);
  }

  [[nodiscard]] weft_counter handle() const noexcept { return handle_; }

 private:
  std::optional<std::int64_t> wait(int condition, std::int64_t value, int index, Seconds limit) const
  {
    std::int64_t seen = 0;
    int reached = 0;
    check(weft_counter_wait(handle_, index, condition, value, limit.count(), &seen, &reached), "weft_counter_wait");
    return reached != 0 ? std::optional(seen) : std::nullopt;
  }

  weft_counter handle_ = WEFT_COUNTER_NULL;
};

}  // namespace weft
