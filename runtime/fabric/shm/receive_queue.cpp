// Claiming, publishing, sorting, giving back.
#include "fabric/shm/receive_queue.hpp"

#include <bit>
#include <cstring>

#include "fabric/shm/doorbell.hpp"

namespace weft::fabric::shm {
namespace {

std::uint64_t free_turn(std::uint64_t position) noexcept { return position / queue_cells * 2; }
std::uint64_t full_turn(std::uint64_t position) noexcept { return free_turn(position) + 1; }

// Claims the next cell, or answers null when the queue is full.
Cell* claim(ReceiveQueue& queue, std::uint64_t& position) noexcept {
  position = queue.tail.load(std::memory_order_relaxed);
  for (;;) {
    Cell& cell = queue.cells[position % queue_cells];
    const std::uint64_t turn = cell.turn.load(std::memory_order_seq_cst);
    if (turn == free_turn(position)) {
      if (queue.tail.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) return &cell;
    } else if (turn < free_turn(position)) {
      return nullptr;                  // a lap behind: not read yet
    } else {
      position = queue.tail.load(std::memory_order_relaxed);   // somebody else has it: each round somebody gets on
    }
  }
}

}  // namespace

Done reserve_queue(NodeMemory& memory, int receiver) {
  if (Done done = memory.reserve(memory.layout().queue_offset(receiver), sizeof(ReceiveQueue)); !done) return done;
  memory.page(receiver).queue_there.store(1, std::memory_order_release);
  return Nothing{};
}

bool enqueue(NodeMemory& memory, int receiver, std::span<const std::byte> head, std::span<const std::byte> payload) noexcept {
  ReceiveQueue& queue = memory.queue(receiver);
  const int me = memory.local_rank();
  std::uint64_t position = 0;
  Cell* cell = claim(queue, position);
  if (cell == nullptr) {               // say that we wait, and look once more: the reader frees a cell, then looks who waits
    queue.waiting[me / 64].fetch_or(std::uint64_t{1} << (me % 64), std::memory_order_seq_cst);
    queue.any_waiting.store(1, std::memory_order_seq_cst);
    cell = claim(queue, position);
    if (cell == nullptr) return false;
  }
  cell->sender = static_cast<std::uint32_t>(me);
  cell->bytes = static_cast<std::uint32_t>(head.size() + payload.size());
  std::memcpy(cell->data, head.data(), head.size());
  if (!payload.empty()) std::memcpy(cell->data + head.size(), payload.data(), payload.size());
  cell->turn.store(full_turn(position), std::memory_order_release);
  ring_doorbell(memory.page(receiver));
  return true;
}

void QueueReader::open(NodeMemory& memory) {
  memory_ = &memory;
  queue_ = &memory.queue(memory.local_rank());
  lines_.assign(static_cast<std::size_t>(memory.layout().ranks), {});
}

bool QueueReader::sort() noexcept {
  if (!there_) {
    there_ = memory_->page(memory_->local_rank()).queue_there.load(std::memory_order_acquire) != 0;
    if (!there_) return false;
  }
  bool any = false;
  for (;;) {
    const auto number = static_cast<std::uint16_t>(position_ % queue_cells);
    const Cell& cell = queue_->cells[number];
    if (cell.turn.load(std::memory_order_acquire) != full_turn(position_)) return any;
    Line& line = lines_[cell.sender];
    after_[number] = none;
    (line.first == none ? line.first : after_[line.last]) = number;
    line.last = number;
    ++position_;
    any = true;
  }
}

void QueueReader::give_back(Line& line) noexcept {
  std::atomic<std::uint64_t>& turn = queue_->cells[line.lent].turn;
  turn.store(turn.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  line.lent = none;
  if (queue_->any_waiting.load(std::memory_order_seq_cst) == 0) [[likely]] return;
  queue_->any_waiting.store(0, std::memory_order_seq_cst);
  for (std::size_t word = 0; word < std::size(queue_->waiting); ++word)
    for (std::uint64_t bits = queue_->waiting[word].exchange(0, std::memory_order_seq_cst); bits != 0; bits &= bits - 1) {
      const int rank = static_cast<int>(word * 64) + std::countr_zero(bits);
      ring_doorbell(memory_->page(rank));
    }
}

Message QueueReader::next(int sender) noexcept {
  Line& line = lines_[static_cast<std::size_t>(sender)];
  if (line.lent != none) give_back(line);
  if (line.first == none && (!sort() || line.first == none)) return {};
  const Cell& cell = queue_->cells[line.first];
  line.lent = line.first;
  line.first = after_[line.first];
  return {cell.data, cell.bytes};
}

}  // namespace weft::fabric::shm
