// How a thread waits: it polls for a while, then sleeps on the port's doorbell. Where ranks share cores it gives its core
// away at once, first by yielding, then by sleeping. Of several threads one sleeps on the doorbell, the others on a word of
// the process; whoever moves anything wakes them all. Used by Engine::wait_until only; needs the runtime lock, which a
// sleep gives up.
#pragma once

#include <atomic>
#include <cstdint>

#include "match/bells.hpp"
#include "os/runtime_lock.hpp"

namespace weft::match {

class Engine;
class Request;

// The process's side: what all waits share.
class Waiting {
 public:
  void open(std::span<fabric::Port* const> ports, std::int64_t spin_us);

  std::uint64_t events = 0;            // grows with everything that moves
  std::uint32_t sleepers = 0;          // threads asleep

  // A program looks again and again and nothing moves; `rests` counts the times it came here since something did.
  void rest(Engine& engine, std::uint32_t rests) noexcept;
  // Any thread, without the lock: ends the sleep on the bells, or keeps the next one from beginning.
  void ring() noexcept {
    rung_.store(true, std::memory_order_release);
    bells_.wake();
  }
  void wake_sleepers() noexcept;       // something moved that a sleeping thread may wait for
  // One sleep: on the bells if no other thread is there, after one more look, else on the word, until one wakes us.
  // on_bells: something rang; out_of_time: nothing did.
  enum class Slept : std::uint8_t { not_at_all, on_bells, out_of_time, on_word };
  Slept sleep(Engine& engine, std::uint64_t seen, std::int64_t limit_ns) noexcept;

 private:
  friend class Waiter;
  void learn(std::int64_t slept_ns) noexcept;

  void wake_others() noexcept;         // those that don't sleep on the doorbell
  Bells bells_;
  std::int64_t spin_ns_ = 0;
  bool spin_chosen_ = false;           // the option says how long
  bool doorbell_taken_ = false;
  std::atomic<bool> rung_{false};
  std::atomic<std::uint32_t> generation_{0};
};

class Waiter {
 public:
  // `blocked`: the request that is waited for, if it is one.
  Waiter(Engine& engine, const Request* blocked) noexcept : engine_(engine), blocked_(blocked) {}
  ~Waiter();
  // A turn of the loop moved nothing. `seen` is Waiting::events from before the condition was looked at.
  void idle(std::uint64_t seen) noexcept;
  // A turn moved something, perhaps for another thread: that one must get the lock to see it.
  static void moved() noexcept {
    if (os::shared_by_threads()) [[unlikely]] os::runtime_lock::yield();
  }

 private:
  void idle_long(std::uint64_t seen) noexcept;
  void yield(std::int64_t now_ns) noexcept;
  void sleep(std::uint64_t seen) noexcept;

  Engine& engine_;
  const Request* blocked_;
  std::uint32_t turns_ = 0;
  std::int64_t since_ns_ = 0;
  std::int64_t yield_due_ns_ = 0;
  std::int64_t quiet_since_ns_ = 0;    // since when no message has come, over several sleeps
  std::uint64_t quiet_heard_ = 0;      // and what Engine::heard() was then
};

}  // namespace weft::match
