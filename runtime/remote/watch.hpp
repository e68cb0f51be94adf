// Waiting for what a word says. Mapped words are watched in the progress loop, and whoever changes one rings, so the wait
// sleeps like any other; others are asked for, less and less often, so that many waiters are no storm at the home.
// Under the runtime lock, which waits give up.
#pragma once

#include <algorithm>
#include <type_traits>

#include "match/engine.hpp"
#include "os/clock.hpp"
#include "remote/words.hpp"

namespace weft::remote {

// Points in time of os::now_ns().
inline constexpr std::int64_t no_limit = INT64_MAX;
inline std::int64_t limit_at(double seconds) noexcept {     // from now; a negative number: none
  return seconds < 0 || seconds > 1e9 ? no_limit : os::now_ns() + static_cast<std::int64_t>(seconds * 1e9);
}
inline bool passed(std::int64_t limit_ns) noexcept { return limit_ns != no_limit && os::now_ns() >= limit_ns; }

// Ends sleeps in time.
class Alarm : public match::Service {
 public:
  explicit Alarm(std::int64_t limit_ns, std::int64_t period_ns = INT64_MAX) : limit_ns_(limit_ns), period_ns_(period_ns) { match::engine().add_service(this); }
  ~Alarm() { match::engine().remove_service(this); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  bool poll() override { return false; }
  std::int64_t longest_sleep_ns() const override {
    return limit_ns_ == no_limit ? period_ns_ : std::clamp<std::int64_t>(limit_ns_ - os::now_ns(), 1, period_ns_);
  }

 private:
  std::int64_t limit_ns_;
  std::int64_t period_ns_;
};

// True: the condition holds; false: the time is over.
template <class Condition>
bool wait_until(std::int64_t limit_ns, Condition&& condition) {
  const Alarm alarm(limit_ns);
  bool holds = false;
  match::engine().wait_until([&] { return (holds = condition()) || passed(limit_ns); });
  return holds;
}

// How a word is watched.
struct Pace {
  static constexpr std::size_t no_word = SIZE_MAX;
  std::size_t ringing = no_word;               // mapped words: changes of this one ring us
  std::int64_t look_again_ns = INT64_MAX;      // and we look at least so often
  std::int64_t shortest_pause_ns = 2'000;      // others: between two looks
  std::int64_t longest_pause_ns = 1'000'000;
};

template <class Look>
class Watch final : public Alarm {
 public:
  Watch(Words& words, const Pace& pace, std::int64_t limit_ns, Look& look)
      : Alarm(limit_ns, words.rings() ? pace.look_again_ns : pace.longest_pause_ns), words_(words), ringing_(pace.ringing), look_(look) {}
  bool poll() override {
    if (over_) return false;
    if (ringing_ != Pace::no_word) words_.want(ringing_);
    return over_ = look_();
  }
  bool over() const noexcept { return over_; }

 private:
  Words& words_;
  std::size_t ringing_;
  Look& look_;
  bool over_ = false;
};

// Until look() says true, or the time is over (false). look() must not wait where the words are mapped.
template <class Look>
bool watch(Words& words, const Pace& pace, std::int64_t limit_ns, Look&& look) {
  if (look()) return true;
  if (words.mapped()) {
    const Watch<std::remove_reference_t<Look>> mine(words, pace, limit_ns, look);
    match::engine().wait_until([&] { return mine.over() || passed(limit_ns); });
    return mine.over();
  }
  for (std::int64_t pause_ns = pace.shortest_pause_ns; !passed(limit_ns); pause_ns = std::min(2 * pause_ns, pace.longest_pause_ns)) {
    (void)wait_until(std::min(limit_ns, os::now_ns() + pause_ns), [] { return false; });
    if (look()) return true;
  }
  return false;
}

}  // namespace weft::remote
