// The port to oneself: a push ring in the process's own memory. It never sleeps: what a rank sends itself is there at once.
#pragma once

#include <sys/uio.h>

#include <memory>

#include "fabric/port.hpp"
#include "fabric/ring.hpp"

namespace weft::fabric::self {

struct PushTarget {
  Ring ring;
  void publish(Slot& slot, std::uint64_t sequence) const noexcept { slot.sequence.store(sequence, std::memory_order_relaxed); }
};

class SelfPort final : public Port {
 public:
  SelfPort(int world_rank, RingShape shape);

  const char* name() const noexcept override { return "self"; }
  const Caps& caps() const noexcept override { return caps_; }
  bool reaches(int world_rank) const noexcept override { return world_rank == world_rank_; }
  int poll_contact() noexcept override { return -1; }
  void prepare_sleep() noexcept override {}
  void cancel_sleep() noexcept override {}
  void sleep(std::int64_t timeout_ns) noexcept override;

  PushTarget open_push();   // the ring's memory is made at the first call
  Ring inbound() { return open_push().ring; }
  Status read(std::uint64_t address, const iovec* local, int runs) noexcept;

 private:
  struct Release { void operator()(std::byte* memory) const noexcept; };

  Caps caps_{};
  int world_rank_;
  RingShape shape_;
  std::unique_ptr<std::byte, Release> memory_;
};

}  // namespace weft::fabric::self
