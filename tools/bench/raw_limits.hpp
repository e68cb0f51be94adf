// What the machine itself can do, measured without MPI beside every figure: a cache line handed from one rank's core to
// the other's, a stream of lines, a copy of memory, a system call, a wake-up. A library cannot be faster than these; the
// ratio to them is the figure that carries over to another machine.
//
// Ranks 0 and 1 share one page through a memory file without a name (nothing to clean up). Functions marked "pair" must
// be called by both at the same point; every other rank must not call them. Main thread only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/job.hpp"

namespace weft::bench {

struct SharedLines;   // the layout of the shared page

class PairMemory {
 public:
  // Collective over the job. When ranks 0 and 1 cannot share memory (two hosts), usable() is false everywhere.
  explicit PairMemory(const Job& job);
  ~PairMemory();
  PairMemory(const PairMemory&) = delete;
  PairMemory& operator=(const PairMemory&) = delete;

  bool usable() const { return lines_ != nullptr; }
  // Pair. One-way time of one hand-over in ns, over a few rounds: spinning where both ranks have a core, else by
  // sleeping and waking, since spinning would measure the scheduler's time slice.
  double handoff_ns();
  double sleeping_handoff_ns();   // pair; always by futex
  // Pair. Time per line of `stream_lines` lines written by rank 0 and read by rank 1, the last one answered.
  double line_stream_ns();
  static constexpr int stream_lines = 64;

 private:
  double spinning_handoff_ns();
  SharedLines* lines_ = nullptr;
  std::uint32_t turn_ = 0;
  int rank_;
  bool own_cores_;
};

// Two buffers that a copy runs between.
class CopyLimit {
 public:
  explicit CopyLimit(std::size_t bytes);
  double copy_ns(std::size_t bytes);   // one copy of `bytes`, taken over enough copies to be above the clock's grain
 private:
  std::vector<std::byte> from_, to_;
};

double clock_read_ns();
double system_call_ns();
double wake_nobody_ns();   // a futex wake that finds no sleeper

}  // namespace weft::bench
