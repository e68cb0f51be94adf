// Spinning, yielding, sleeping.
#include "match/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <climits>

#include "match/engine.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/runtime_lock.hpp"

namespace weft::match {
namespace {

constexpr std::uint32_t short_turns = 64;             // polls before the clock is looked at
constexpr std::int64_t shortest_spin_ns = 200'000;    // a wake-up costs some 50 us: not worth it for shorter waits
constexpr std::int64_t longest_spin_ns = 4'000'000;
constexpr std::int64_t short_sleep_ns = 1'000'000;
constexpr std::uint32_t crowded_yields = 16;
constexpr std::int64_t longest_unyielding_ns = 300'000;
constexpr std::int64_t short_rest_ns = 50'000;         // of a program that only looks
constexpr std::int64_t longest_sleep_ns = 1'000'000'000;   // then look again: costs nothing and survives a lost wake-up

constexpr std::int64_t patience_ns = 250'000'000;      // no message for so long: a choked sender is lent room

}  // namespace

void Waiting::open(std::span<fabric::Port* const> ports, std::int64_t spin_us) {
  os::choose_spin_clock();
  bells_.open(ports);
  spin_chosen_ = spin_us >= 0;
  spin_ns_ = spin_chosen_ ? spin_us * 1000 : shortest_spin_ns;
}

void Waiting::rest(Engine& engine, std::uint32_t rests) noexcept {
  if (spin_chosen_ || !bells_.crowded()) return;
  if (os::shared_by_threads()) {
    os::runtime_lock::yield();
    (void)::sched_yield();
  } else if (rests <= crowded_yields) {
    (void)::sched_yield();
  } else {
    bells_.prepare();
    if (engine.poll()) bells_.cancel();
    else bells_.sleep(short_rest_ns);
  }
}

void Waiting::wake_others() noexcept {
  generation_.fetch_add(1, std::memory_order_release);
  os::futex_wake(generation_, INT_MAX);
}

Waiting::Slept Waiting::sleep(Engine& engine, std::uint64_t seen, std::int64_t limit_ns) noexcept {
  limit_ns = std::min(limit_ns, longest_sleep_ns);
  if (doorbell_taken_) {
    const std::uint32_t generation = generation_.load(std::memory_order_acquire);
    limit_ns = std::min(limit_ns, engine.longest_sleep_ns());   // this thread may have a time limit of its own
    ++sleepers;
    {
      const os::runtime_lock::Released released;
      os::futex_wait(generation_, generation, limit_ns);
    }
    --sleepers;
    return Slept::on_word;
  }
  Slept slept = Slept::not_at_all;
  doorbell_taken_ = true;
  bells_.prepare();
  engine.expect_sleep();
  if (engine.poll() || events != seen || rung_.exchange(false, std::memory_order_acquire)) {
    bells_.cancel();
  } else {
    const bool shared = os::shared_by_threads();
    sleepers += shared;
    limit_ns = std::min(limit_ns, engine.longest_sleep_ns());   // asked now: that look may have made it silent, or not
    const std::int64_t before = os::spin_now_ns();
    {
      const os::runtime_lock::Released released;
      bells_.sleep(limit_ns);
    }
    slept = os::spin_now_ns() - before < limit_ns ? Slept::on_bells : Slept::out_of_time;
    sleepers -= shared;
    if (sleepers != 0) wake_others();  // the bell may have rung for one of them
  }
  doorbell_taken_ = false;
  return slept;
}

void Waiting::wake_sleepers() noexcept {
  wake_others();
  if (doorbell_taken_) bells_.wake();
}

Waiter::~Waiter() {
  // the one who slept on the doorbell may be done: another must take its place
  if (engine_.waiting().sleepers != 0) engine_.waiting().wake_sleepers();
}

// Two ranks that answer each other may fall into sleeping by turns when a wake-up takes longer than the spin, on a busy
// host. A sleep that was rung out of soon should not have been: spin longer next time. A long one, or one that nothing
// ended, brings the short spin back.
void Waiting::learn(std::int64_t slept_ns) noexcept {
  if (spin_chosen_) return;
  spin_ns_ = slept_ns > short_sleep_ns ? shortest_spin_ns : std::min(2 * spin_ns_, longest_spin_ns);
}

void Waiter::idle(std::uint64_t seen) noexcept {
  if (++turns_ <= short_turns) os::pause();
  else idle_long(seen);
}

void Waiter::idle_long(std::uint64_t seen) noexcept {
  Waiting& waiting = engine_.waiting();
  if (os::shared_by_threads()) {
    os::runtime_lock::yield();
    if (waiting.events != seen) return;
  }
  if (!waiting.spin_chosen_ && waiting.bells_.crowded()) {
    if (turns_ < short_turns + crowded_yields) (void)::sched_yield();
    else sleep(seen);
    return;
  }
  if (turns_ % short_turns != 0) return os::pause();
  const std::int64_t now = os::spin_now_ns();
  if (since_ns_ == 0) since_ns_ = now;
  else if (now - since_ns_ >= waiting.spin_ns_) return sleep(seen);
  if (now >= yield_due_ns_) yield(now);
}

// Nothing when the core is ours; where others want it, spinning out the slice would starve them all. Where the kernel is slow
// to answer that nobody does (User Mode Linux), it is asked less often.
void Waiter::yield(std::int64_t now_ns) noexcept {
  (void)::sched_yield();
  const std::int64_t after_ns = os::spin_now_ns();
  yield_due_ns_ = after_ns + std::min(4 * (after_ns - now_ns), longest_unyielding_ns);
}

void Waiter::sleep(std::uint64_t seen) noexcept {
  Waiting& waiting = engine_.waiting();
  turns_ = 0;
  since_ns_ = 0;
  const bool may_lend = engine_.choked() && blocked_ != nullptr && blocked_->form == Form::receive;
  if (may_lend && (quiet_since_ns_ == 0 || quiet_heard_ != engine_.heard())) {
    quiet_since_ns_ = os::spin_now_ns();
    quiet_heard_ = engine_.heard();
  }
  const std::int64_t before = os::spin_now_ns();
  const Waiting::Slept slept = waiting.sleep(engine_, seen, may_lend ? patience_ns : longest_sleep_ns);
  if (slept == Waiting::Slept::on_bells) waiting.learn(os::spin_now_ns() - before);
  if (slept == Waiting::Slept::out_of_time) waiting.learn(longest_sleep_ns);
  // A turn that moved something brought no message, perhaps: links that are looked into answer without one.
  if (!may_lend || quiet_heard_ != engine_.heard() || blocked_->done) return;
  if (os::spin_now_ns() - quiet_since_ns_ < patience_ns) return;
  quiet_since_ns_ = 0;
  engine_.relieve(*static_cast<const Receive*>(blocked_));
}

}  // namespace weft::match
