// The one memory file that the ranks of a node share: a page a rank, a ring and a meeting place for each ordered pair, a
// receive queue and a heap a rank. All of it is sparse: whatever is not a rank's page gets pages when it is first used
// (NodeMemory::reserve), so a silent peer costs nothing. Offsets are the same in every process, addresses are not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fabric/endpoint.hpp"
#include "fabric/ring.hpp"

namespace weft::fabric::shm {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t heap_bytes = std::size_t{64} << 20;
inline constexpr int max_local_ranks = 1024;
inline constexpr int max_cpus = 1024;
inline constexpr std::size_t bell_name_bytes = 64;

// Written by its owner except where noted. Each concern has its own line.
struct alignas(page_bytes) RankPage {
  // The doorbell (doorbell.hpp). `attention` is 0 while senders need do no more than publish; `doorbell` is the futex word.
  alignas(line_bytes) std::atomic<std::uint32_t> attention;
  alignas(line_bytes) std::atomic<std::uint32_t> doorbell;
  // Set by senders when they open their ring to this rank; `contacts` counts the bits set so far.
  alignas(line_bytes) std::atomic<std::uint32_t> contacts;
  alignas(line_bytes) std::atomic<std::uint64_t> contact_bits[max_local_ranks / 64];
  // The CPUs this rank may use, as in sched_getaffinity(2): more ranks than CPUs must not spin. Set before proof_value.
  alignas(line_bytes) std::uint64_t cpus[max_cpus / 64];
  // For single copy: who we are to the kernel, and a word that proves it.
  alignas(line_bytes) std::int32_t process_id;
  std::uint64_t proof_address;
  std::atomic<std::uint64_t> proof_value;   // written last; 0 until then
  // 1 once this rank's receive queue has pages: set by the first that sends to it.
  alignas(line_bytes) std::atomic<std::uint32_t> queue_there;
  // The name of this rank's bell socket (bell_socket.hpp), written before it first sleeps by socket.
  alignas(line_bytes) char bell_name[bell_name_bytes];
};

// Where one rank leaves what another must know to have an endpoint to it, and counts its notices. Written by the sender.
struct alignas(line_bytes) Meeting {
  std::atomic<std::uint32_t> opened;            // 1 once `opening` is whole
  std::atomic<std::uint64_t> immediates;        // writes with Notify::immediate so far
  alignas(line_bytes) Opening opening;
};

// A rank's receive queue: one for all peers. A sender claims the cell at `tail`, fills it and publishes it; the owner takes
// cells in order and gives each back when its message has been read. `turn` of a cell: twice the lap when it is free, and
// one more when it holds a message, so that zeroed memory is a queue.
inline constexpr std::size_t cell_bytes = 4096;
inline constexpr std::size_t queue_cells = 128;
struct alignas(line_bytes) Cell {
  std::atomic<std::uint64_t> turn;
  std::uint32_t sender;                         // local rank
  std::uint32_t bytes;
  std::byte data[cell_bytes - 16];
};
static_assert(sizeof(Cell) == cell_bytes);
struct alignas(page_bytes) ReceiveQueue {
  alignas(line_bytes) std::atomic<std::uint64_t> tail;
  // Senders that found it full and want to be rung when a cell is free.
  alignas(line_bytes) std::atomic<std::uint32_t> any_waiting;
  std::atomic<std::uint64_t> waiting[max_local_ranks / 64];
  alignas(line_bytes) Cell cells[queue_cells];
};

struct Layout {
  int ranks;
  RingShape shape;

  std::size_t ring_stride() const noexcept { return (shape.bytes() + page_bytes - 1) & ~(page_bytes - 1); }
  std::size_t page_offset(int local_rank) const noexcept { return static_cast<std::size_t>(local_rank) * sizeof(RankPage); }
  std::size_t ring_offset(int receiver, int sender) const noexcept {
    return page_offset(ranks) + (static_cast<std::size_t>(receiver) * static_cast<std::size_t>(ranks) +
                                 static_cast<std::size_t>(sender)) * ring_stride();
  }
  std::size_t meeting_offset(int receiver, int sender) const noexcept {
    return ring_offset(ranks, 0) + (static_cast<std::size_t>(receiver) * static_cast<std::size_t>(ranks) +
                                    static_cast<std::size_t>(sender)) * sizeof(Meeting);
  }
  std::size_t queue_offset(int local_rank) const noexcept {
    return ((meeting_offset(ranks, 0) + page_bytes - 1) & ~(page_bytes - 1)) + static_cast<std::size_t>(local_rank) * sizeof(ReceiveQueue);
  }
  std::size_t heap_offset(int local_rank) const noexcept {
    return queue_offset(ranks) + static_cast<std::size_t>(local_rank) * heap_bytes;
  }
  std::size_t bytes() const noexcept { return heap_offset(ranks); }
};

}  // namespace weft::fabric::shm
