// The completion queue of a verbs port, one for everything, and the channel by which it rings. Polling makes no system call.
// Threads: one at a time. Invariant: room is reserved for all that could complete at once, so the queue never overflows.
#pragma once

#include "fabric/verbs/device.hpp"

namespace weft::fabric::verbs {

class Completions {
 public:
  Completions() = default;
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;
  ~Completions();

  Done open(const Device& device);
  // Room for so many more completions; grows the queue where that takes it.
  Done reserve(std::uint32_t entries);
  void release(std::uint32_t entries) noexcept { reserved_ -= entries; }

  int poll(ibv_wc* completions, int most) noexcept { return ibv_poll_cq(queue_.get(), most, completions); }
  void arm() noexcept { (void)ibv_req_notify_cq(queue_.get(), 0); }     // the next completion makes fd() readable
  void drain() noexcept;                                                 // what has rung
  int fd() const noexcept { return channel_->fd; }
  ibv_cq* queue() const noexcept { return queue_.get(); }

 private:
  Handle<ibv_comp_channel, ibv_destroy_comp_channel> channel_;
  Handle<ibv_cq, ibv_destroy_cq> queue_;
  std::uint32_t capacity_ = 0;
  std::uint32_t most_ = 0;
  std::uint32_t reserved_ = 0;
};

}  // namespace weft::fabric::verbs
