// NodeMemory: this process's view of the node's shared file: pages, rings, and its own heap in it. Created by the lowest
// local rank, taken by the others (hand_over.hpp). Nothing is touched before reserve() has given it real pages, so a full
// host is an error in words and never a SIGBUS. Threads: one at a time; other ranks change only what layout.hpp says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/shm/layout.hpp"
#include "os/expected.hpp"
#include "os/fd.hpp"
#include "os/mapping.hpp"

namespace weft::fabric::shm {

class NodeMemory {
 public:
  static Expected<NodeMemory> create(Layout layout, int local_rank);
  static Expected<NodeMemory> attach(os::Fd file, Layout layout, int local_rank);

  const os::Fd& file() const noexcept { return file_; }
  const Layout& layout() const noexcept { return layout_; }
  int local_rank() const noexcept { return local_rank_; }

  std::byte* address(std::uint64_t offset) const noexcept { return mapping_.data() + offset; }
  RankPage& page(int rank) const noexcept { return *reinterpret_cast<RankPage*>(address(layout_.page_offset(rank))); }
  Ring ring(int receiver, int sender) const noexcept {
    return Ring(address(layout_.ring_offset(receiver, sender)), layout_.shape);
  }

  Meeting& meeting(int receiver, int sender) const noexcept {
    return *reinterpret_cast<Meeting*>(address(layout_.meeting_offset(receiver, sender)));
  }
  ReceiveQueue& queue(int rank) const noexcept { return *reinterpret_cast<ReceiveQueue*>(address(layout_.queue_offset(rank))); }

  // Pages for what lies at an offset; what has some already keeps them. Any rank may do it.
  Done reserve(std::size_t offset, std::size_t bytes);
  Done reserve_ring(int receiver, int sender) { return reserve(layout_.ring_offset(receiver, sender), layout_.ring_stride()); }
  // Zeroed, page-aligned memory that every rank of the node can map; freed blocks are given out again, zeroed.
  Expected<std::uint64_t> allocate(std::size_t bytes);
  void free(std::uint64_t offset, std::size_t bytes);

 private:
  Done adopt(os::Fd file, Layout layout, int local_rank);

  struct Block { std::uint64_t offset; std::size_t bytes; };

  os::Fd file_;
  os::Mapping mapping_;
  Layout layout_{};
  int local_rank_ = 0;
  std::size_t heap_used_ = 0;
  std::vector<Block> free_blocks_;
};

}  // namespace weft::fabric::shm
