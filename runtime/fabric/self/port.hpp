// The port to oneself: a push ring in the process's own memory. A sleep on it ends only by
// another thread of the process, or in time.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <memory>

#include "fabric/port.hpp"
#include "fabric/ring.hpp"

namespace weft::fabric::self {

struct PushTarget {
  Ring ring;
  void publish(Slot& slot, std::uint64_t sequence) const noexcept { slot.sequence.store(sequence, std::memory_order_relaxed); }
};

struct PushSource {
  Ring ring;
  void tell_credit() const noexcept {}
};

class SelfPort final : public Port {
 public:
  SelfPort(int world_rank, RingShape shape);

  const char* name() const noexcept override { return "self"; }
  const Caps& caps() const noexcept override { return caps_; }
  bool knows(int world_rank) const noexcept override { return world_rank == world_rank_; }
  int poll_contact() noexcept override { return -1; }
  void wake_self() noexcept override;
  void prepare_sleep() noexcept override;
  void cancel_sleep() noexcept override {}
  void sleep(std::int64_t timeout_ns) noexcept override;

  PushTarget open_push();   // the ring's memory is made at the first call
  PushSource inbound() { return {open_push().ring}; }
  Status read(std::uint64_t address, const iovec* local, int runs) noexcept;

 private:
  struct Release { void operator()(std::byte* memory) const noexcept; };

  Caps caps_{};
  int world_rank_;
  RingShape shape_;
  std::unique_ptr<std::byte, Release> memory_;
  std::atomic<std::uint32_t> doorbell_{0};
  std::uint32_t sleep_word_ = 0;
};

}  // namespace weft::fabric::self
