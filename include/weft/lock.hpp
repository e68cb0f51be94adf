// A fair lock of the ranks of a communicator, usable with std::lock_guard and std::unique_lock. See weft.h for what is promised.
//     weft::Lock lock(world);                             // collective
//     { std::lock_guard guard(lock); ... }
// A lock whose holder may vanish is better taken with acquire(), which tells so.
#pragma once

#include <weft.h>

#include "counter.hpp"

namespace weft {

class Lock {
 public:
  enum class Outcome { taken = WEFT_LOCK_TAKEN, recovered = WEFT_LOCK_RECOVERED, busy = WEFT_LOCK_BUSY };

  // Collective, as is the end of the object's life: every rank must leave its scope. `lease` 0: a holder may keep it for ever.
  explicit Lock(const Comm& comm, int home = 0, Seconds lease = Seconds(0))
  {
    check(weft_lock_create(comm.handle(), home, lease.count(), &handle_), "weft_lock_create");
  }
  Lock(Lock&& other) noexcept : handle_(std::exchange(other.handle_, WEFT_LOCK_NULL)) {}
  Lock& operator=(Lock&& other) noexcept
  {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Lock()
  {
    if (handle_ != WEFT_LOCK_NULL) weft_lock_free(&handle_);
  }

  Outcome acquire(Seconds limit = no_limit)
  {
    int outcome = WEFT_LOCK_BUSY;
    check(weft_lock_acquire(handle_, limit.count(), &outcome), "weft_lock_acquire");
    return static_cast<Outcome>(outcome);
  }
  Outcome try_acquire()
  {
    int outcome = WEFT_LOCK_BUSY;
    check(weft_lock_try(handle_, &outcome), "weft_lock_try");
    return static_cast<Outcome>(outcome);
  }
  void release() { check(weft_lock_release(handle_), "weft_lock_release"); }

  // The standard's names.
  void lock() { (void)acquire(); }
  bool try_lock() { return try_acquire() != Outcome::busy; }
  void unlock() { release(); }

  // Who holds it, if anybody does.
  [[nodiscard]] std::optional<int> owner() const
  {
    int rank = MPI_PROC_NULL;
    check(weft_lock_owner(handle_, &rank), "weft_lock_owner");
    return rank != MPI_PROC_NULL ? std::optional(rank) : std::nullopt;
  }

  [[nodiscard]] weft_lock handle() const noexcept { return handle_; }

 private:
  weft_lock handle_ = WEFT_LOCK_NULL;
};

}  // namespace weft
