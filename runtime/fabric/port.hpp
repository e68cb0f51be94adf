// Port: a fabric opened by this process. Five things only: what it can do, what others must know to reach us, whether we
// reach them, how a waiter sleeps on it, and its end. The datapath is not virtual here: links are compiled per fabric
// (channel/push.hpp) against the fabric's own ring type, so that a message costs one indirect call in all.
// Threads: one at a time. A port outlives its links.
#pragma once

#include <cstdint>
#include <string>

#include "fabric/caps.hpp"
#include "os/expected.hpp"

namespace weft::fabric {

class Port {
 public:
  virtual ~Port() = default;
  virtual const char* name() const noexcept = 0;
  virtual const Caps& caps() const noexcept = 0;
  virtual bool reaches(int world_rank) const noexcept = 0;

  // World rank of a peer that has opened its side since the last call, or -1. Bounded; called once a progress turn.
  virtual int poll_contact() noexcept = 0;

  // Do the peers of this port and we run on fewer cores than we are? Then waiting must give the core away at once.
  virtual bool crowded() noexcept { return false; }

  // Rings for this process itself, to end a sleep() of another of its threads.
  virtual void wake_self() noexcept = 0;

  // The two halves of going to sleep: prepare_sleep() makes later arrivals ring; after one more look at every link, the
  // caller either cancels or sleeps. sleep() returns on an arrival, on the time limit, or early.
  virtual void prepare_sleep() noexcept = 0;
  virtual void cancel_sleep() noexcept = 0;
  virtual void sleep(std::int64_t timeout_ns) noexcept = 0;
};

}  // namespace weft::fabric
