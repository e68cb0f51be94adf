// Registered buffers of one size: those that posts copy into (BufferPool), and those that wait for messages (ReceiveQueue).
// Made when a port opens, never grown. Threads: one at a time.
#pragma once

#include <infiniband/verbs.h>

#include <vector>

#include "fabric/verbs/memory.hpp"

namespace weft::fabric::verbs {

inline constexpr std::uint32_t no_buffer = UINT32_MAX;

// Buffers are counted references: one may wait for an acknowledgement and stand in a send queue at once.
class BufferPool {
 public:
  Done open(Memory& memory, std::uint32_t count, std::size_t bytes);

  std::uint32_t take() noexcept {                   // no_buffer when all are in use
    if (free_.empty()) return no_buffer;
    const std::uint32_t buffer = free_.back();
    free_.pop_back();
    users_[buffer] = 1;
    return buffer;
  }
  void hold(std::uint32_t buffer) noexcept { ++users_[buffer]; }
  void give(std::uint32_t buffer) noexcept {
    if (--users_[buffer] == 0) free_.push_back(buffer);
  }
  std::byte* at(std::uint32_t buffer) const noexcept { return region_.address + std::size_t{buffer} * bytes_; }
  std::uint32_t key() const noexcept { return region_.local_key; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  Region region_{};
  std::size_t bytes_ = 0;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint8_t> users_;
};

// Messages of one endpoint that have come, in order, in the buffers they came in.
struct Inbox {
  std::uint32_t first = no_buffer;
  std::uint32_t last = no_buffer;
  std::uint32_t in_use = no_buffer;                 // handed out by the last pop()
};

class ReceiveQueue {
 public:
  // `mark` goes into the low bits of each work request's id, the buffer's number into the others.
  Done open(Memory& memory, std::uint32_t count, std::size_t bytes, std::uint64_t mark);
  void attach(ibv_srq* queue) noexcept { shared_ = queue; }
  void attach(ibv_qp* queue) noexcept { single_ = queue; }
  Done fill();                                      // posts all

  static std::uint32_t buffer_of(std::uint64_t id) noexcept { return static_cast<std::uint32_t>(id >> mark_bits); }
  std::byte* at(std::uint32_t buffer) const noexcept { return region_.address + std::size_t{buffer} * bytes_; }

  // Back to the device, some at a time.
  void give_back(std::uint32_t buffer) noexcept {
    spare_[spare_count_++] = buffer;
    if (spare_count_ == batch) (void)post_spare();
  }
  void push(Inbox& inbox, std::uint32_t buffer, std::uint32_t offset, std::uint32_t bytes) noexcept;
  Message pop(Inbox& inbox) noexcept;

  static constexpr int mark_bits = 2;

 private:
  static constexpr std::uint32_t batch = 8;
  struct Arrived {
    std::uint32_t next;
    std::uint32_t offset;
    std::uint32_t bytes;
  };

  int post_spare() noexcept;

  Region region_{};
  std::size_t bytes_ = 0;
  std::uint64_t mark_ = 0;
  ibv_srq* shared_ = nullptr;
  ibv_qp* single_ = nullptr;
  std::uint32_t spare_[batch] = {};
  std::uint32_t spare_count_ = 0;
  std::vector<Arrived> arrived_;
};

}  // namespace weft::fabric::verbs
