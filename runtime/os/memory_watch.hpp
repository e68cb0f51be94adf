// MemoryWatch: has a stretch of the program's memory kept its pages since it was first asked about? The kernel tells
// (userfaultfd, events only: no fault is ever handled) of each munmap, mremap, madvise that drops pages, brk, and mmap over what
// was there, whoever calls; each waits until a thread of the watch has read its news. Ordinary users may do that on Linux from
// 5.11 on; a filter (a container's) or a processor without write-protection by userfaultfd (all but x86-64, long) may not.
// Threads: one at a time, besides its own, which holds no lock, waits for nobody and uses no heap: whoever waits for it may
// hold any lock. Invariant: a change that its caller has returned from is marked before is_unchanged() answers.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "os/fd.hpp"

namespace weft::os {

class MemoryWatch {
 public:
  explicit MemoryWatch(int most) noexcept : most_(most) {}
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  ~MemoryWatch();

  // False: it can't be had here; errno tells why.
  bool open();

  // Whole pages [begin, end), all there; a number for the other calls. -1: not this memory (a file's, shared, or somebody
  // else's userfaultfd), or as many are watched as may be. Pages that are pinned after this are the ones that are watched.
  int watch(std::uintptr_t begin, std::uintptr_t end) noexcept;
  bool is_unchanged(int number) noexcept;
  void forget(int number) noexcept { places_[number].state = free; }
  // How many changes of what is watched there have been; costs nothing to ask.
  std::uint32_t changes() const noexcept { return changes_.load(std::memory_order_relaxed); }

 private:
  enum State : std::uint32_t { free, watched, changed };
  struct Place {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<std::uint32_t> state{free};
  };

  static void* run(void* self) noexcept;
  void read_news() noexcept;
  void mark(std::uintptr_t begin, std::uintptr_t end) noexcept;
  bool register_mappings(std::uintptr_t begin, std::uintptr_t end) const noexcept;

  int most_;
  std::unique_ptr<Place[]> places_;
  int device_ = -1;                    // the userfaultfd; the thread closes it
  Fd stop_;
  pthread_t thread_{};
  int process_ = 0;                    // that has the thread
  std::atomic<std::uint32_t> turn_{0};   // odd while news are being read and marked
  std::atomic<std::uint32_t> changes_{0};
};

}  // namespace weft::os
