// weft_counter_*: numbers at a home rank.
#include <fmt/format.h>

#include "api/remote.hpp"
#include "remote/watch.hpp"

namespace weft::api {
namespace {

std::uint64_t same_value(std::size_t, std::uint64_t value) noexcept { return value; }

int create_counter(const char* call, MPI_Comm comm, int home, int count, std::int64_t initial, weft_counter* made) {
  comm::Communicator* on = communicator(comm);
  if (on == nullptr) return bad_communicator(call, comm);
  if (made == nullptr) return null_argument(on, call, "counter");
  *made = WEFT_COUNTER_NULL;
  if (!on->has_rank(home)) return bad_rank(on, call, "home", home);
  if (count < 1 || count > WEFT_COUNTER_MAX_COUNT) return raise(on, MPI_ERR_COUNT, call, "count", count, fmt::format("1 .. {}", WEFT_COUNTER_MAX_COUNT));
  const auto value = static_cast<std::uint64_t>(initial);
  const std::uint64_t print = fingerprint({1, static_cast<std::uint64_t>(home), static_cast<std::uint64_t>(count), value});
  Expected<std::unique_ptr<remote::Words>> words = remote::Words::open({*on, home, static_cast<std::size_t>(count), same_value, value, print});
  if (!words) return raise_made(*on, words.failure(), call);
  *made = reinterpret_cast<weft_counter>(comm::Pool<remote::Counter>::make(std::move(*words)));
  return MPI_SUCCESS;
}

// Runs what(counter) under the guard, where handle and index name a word.
template <class What>
[[gnu::always_inline]] inline int on_word(const char* call, weft_counter handle, int index, What&& what) {
  const Guard guard(call);
  remote::Counter* of = counter(handle);
  if (of == nullptr) [[unlikely]] return bad_counter(call, handle);
  if (static_cast<unsigned>(index) >= of->words().count()) [[unlikely]] return bad_index(*of, call, index);
  return what(*of);
}

[[gnu::always_inline]] inline int ended(const remote::Counter& of, Status status, const char* call) {
  return status == Status::ok ? MPI_SUCCESS : raise_lost(of.words(), status, call);
}

int wait(const char* call, remote::Counter& of, int index, int condition, std::int64_t value, double limit_s, std::int64_t* seen, int* reached) {
  const comm::Communicator& on = of.words().communicator();
  if (condition < WEFT_AT_LEAST || condition > WEFT_CHANGED)
    return raise(&on, MPI_ERR_ARG, call, "condition", condition, "WEFT_AT_LEAST, WEFT_EQUAL or WEFT_CHANGED");
  if (reached == nullptr) return null_argument(&on, call, "reached");
  constexpr remote::Until conditions[] = {remote::Until::at_least, remote::Until::equal, remote::Until::changed};
  std::int64_t last = 0;
  bool yes = false;
  const Status status = of.wait(static_cast<std::size_t>(index), conditions[condition - WEFT_AT_LEAST], value, remote::limit_at(limit_s), last, yes);
  *reached = yes ? 1 : 0;
  if (seen != nullptr) *seen = last;
  return ended(of, status, call);
}

}  // namespace
}  // namespace weft::api

using namespace weft;

extern "C" WEFT_PUBLIC int weft_counter_create(MPI_Comm comm, int home, int count, int64_t initial, weft_counter* counter) {
  constexpr const char* call = "weft_counter_create";
  const api::StateGuard guard(call);
  return api::create_counter(call, comm, home, count, initial, counter);
}

extern "C" WEFT_PUBLIC int weft_counter_free(weft_counter* counter) {
  constexpr const char* call = "weft_counter_free";
  const api::StateGuard guard(call);
  if (counter == nullptr) return api::null_argument(nullptr, call, "counter");
  remote::Counter* of = api::counter(*counter);
  if (of == nullptr) return api::bad_counter(call, *counter);
  if (const Status status = of->close(); status != Status::ok) return api::raise_lost(of->words(), status, call);
  comm::Pool<remote::Counter>::release(of);
  *counter = WEFT_COUNTER_NULL;
  return MPI_SUCCESS;
}

extern "C" WEFT_PUBLIC int weft_counter_fetch_add(weft_counter counter, int index, int64_t add, int64_t* before) {
  constexpr const char* call = "weft_counter_fetch_add";
  return api::on_word(call, counter, index, [&](remote::Counter& of) {
    std::uint64_t old = 0;
    const Status status = of.words().fetch_add(static_cast<std::size_t>(index), static_cast<std::uint64_t>(add), old);
    if (before != nullptr) *before = static_cast<int64_t>(old);
    return api::ended(of, status, call);
  });
}

extern "C" WEFT_PUBLIC int weft_counter_compare_swap(weft_counter counter, int index, int64_t expected, int64_t desired, int64_t* before) {
  constexpr const char* call = "weft_counter_compare_swap";
  return api::on_word(call, counter, index, [&](remote::Counter& of) {
    if (before == nullptr) [[unlikely]] return api::null_argument(&of.words().communicator(), call, "before");
    std::uint64_t old = 0;
    const Status status = of.words().compare_swap(static_cast<std::size_t>(index), static_cast<std::uint64_t>(expected), static_cast<std::uint64_t>(desired), old);
    *before = static_cast<int64_t>(old);
    return api::ended(of, status, call);
  });
}

extern "C" WEFT_PUBLIC int weft_counter_swap(weft_counter counter, int index, int64_t value, int64_t* before) {
  constexpr const char* call = "weft_counter_swap";
  return api::on_word(call, counter, index, [&](remote::Counter& of) {
    std::uint64_t old = 0;
    const Status status = of.swap(static_cast<std::size_t>(index), static_cast<std::uint64_t>(value), old);
    if (before != nullptr) *before = static_cast<int64_t>(old);
    return api::ended(of, status, call);
  });
}

extern "C" WEFT_PUBLIC int weft_counter_read(weft_counter counter, int index, int64_t* value) {
  constexpr const char* call = "weft_counter_read";
  return api::on_word(call, counter, index, [&](remote::Counter& of) {
    if (value == nullptr) [[unlikely]] return api::null_argument(&of.words().communicator(), call, "value");
    std::uint64_t now = 0;
    const Status status = of.words().read(static_cast<std::size_t>(index), now);
    *value = static_cast<int64_t>(now);
    return api::ended(of, status, call);
  });
}

extern "C" WEFT_PUBLIC int weft_counter_wait(weft_counter counter, int index, int condition, int64_t value, double limit_s, int64_t* seen, int* reached) {
  constexpr const char* call = "weft_counter_wait";
  return api::on_word(call, counter, index, [&](remote::Counter& of) {
    return api::wait(call, of, index, condition, value, limit_s, seen, reached);
  });
}

extern "C" WEFT_PUBLIC int weft_counter_home(weft_counter counter, weft_home* home) {
  constexpr const char* call = "weft_counter_home";
  const api::Guard guard(call);
  const remote::Counter* of = api::counter(counter);
  if (of == nullptr) return api::bad_counter(call, counter);
  return api::describe_home(of->words(), static_cast<int>(of->words().count()), call, home);
}
