// The one memory file that the ranks of a node share: a head, a page a rank, a ring for each ordered pair, and a heap a
// rank. All of it is sparse: a ring or a heap block gets pages when it is first used (NodeMemory::reserve), so a silent
// peer costs nothing. Offsets are the same in every process, addresses are not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fabric/ring.hpp"

namespace weft::fabric::shm {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t heap_bytes = std::size_t{64} << 20;
inline constexpr int max_local_ranks = 1024;
inline constexpr int max_cpus = 1024;

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
  std::size_t heap_offset(int local_rank) const noexcept {
    return ring_offset(ranks, 0) + static_cast<std::size_t>(local_rank) * heap_bytes;
  }
  std::size_t bytes() const noexcept { return heap_offset(ranks); }
};

}  // namespace weft::fabric::shm
