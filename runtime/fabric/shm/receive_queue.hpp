// The receive queue of a rank (layout.hpp): many senders, one reader. Where a cell is claimed by compare-and-swap, not by
// fetch-and-add: a full queue must be refused without having claimed, for a post never waits. Senders: any process, one
// thread each at a time. The reader hands cells on to the endpoints they came from, in the order of each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/endpoint.hpp"
#include "fabric/shm/node_memory.hpp"

namespace weft::fabric::shm {

inline constexpr std::size_t queue_message_bytes = sizeof Cell::data;

// Gives the queue of a rank its pages.
Done reserve_queue(NodeMemory& memory, int receiver);
// False: full; the sender is rung when there is room.
bool enqueue(NodeMemory& memory, int receiver, std::span<const std::byte> head, std::span<const std::byte> payload) noexcept;

class QueueReader {
 public:
  void open(NodeMemory& memory);
  // Sorts what has come by sender. True when anything had.
  bool sort() noexcept;
  // The next message of a sender; the one before is given back.
  Message next(int sender) noexcept;

 private:
  static constexpr std::uint16_t none = UINT16_MAX;
  struct Line {                        // of one sender: its messages in the order they came, as cell numbers
    std::uint16_t first = none;
    std::uint16_t last = none;
    std::uint16_t lent = none;         // handed up, being read
  };

  void give_back(Line& line) noexcept;

  NodeMemory* memory_ = nullptr;
  ReceiveQueue* queue_ = nullptr;
  bool there_ = false;
  std::uint64_t position_ = 0;         // cells sorted
  std::vector<Line> lines_;            // by local rank
  std::array<std::uint16_t, queue_cells> after_{};   // the next message of the same sender
};

}  // namespace weft::fabric::shm
