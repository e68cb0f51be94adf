// Memory the device may reach: rings and buffers of weft's own (allocate), and memory of the program while a transfer lasts
// (expose). Threads: one at a time.
//
// The device holds on to physical pages. So a registration of the program's memory outlives its transfers only where the
// kernel tells what the program does to that memory (os/memory_watch.hpp): those are cached, within a cap of bytes and of
// entries, the least recently used go first. Others are made for a transfer, shared by transfers of exactly the same pages.
#pragma once

#include <infiniband/verbs.h>

#include <optional>
#include <vector>

#include "fabric/endpoint.hpp"
#include "fabric/verbs/handle.hpp"
#include "os/expected.hpp"
#include "os/mapping.hpp"
#include "os/memory_watch.hpp"

namespace weft::fabric::verbs {

class Memory {
 public:
  // How much stays registered between transfers.
  struct Cache {
    std::size_t bytes;
    std::uint32_t entries;
  };
  Memory(ibv_pd* domain, bool with_atomics, Cache cache);

  Expected<Region> allocate(std::size_t bytes);
  void free(const Region& region) noexcept;

  Status expose(void* address, std::size_t bytes, Region& region) noexcept;
  void conceal(const Region& region) noexcept;

 private:
  using Registration = Handle<ibv_mr, ibv_dereg_mr>;
  // Regions of our own lie several to a registration: the device's table of those is short, and pages are whole.
  struct Chunk {
    os::Mapping mapping;
    Registration registration;         // goes first
    std::size_t used = 0;              // from its begin on; what is freed is used again when nothing of the chunk is in use
    std::uint32_t regions = 0;
    bool has_room(std::size_t bytes) const noexcept { return mapping.bytes() - used >= bytes; }
    bool holds(const std::byte* address) const noexcept { return address >= mapping.data() && address < mapping.data() + mapping.bytes(); }
  };
  struct Exposed {
    std::uintptr_t begin;              // whole pages
    std::uintptr_t end;
    std::uint32_t users;
    int watched;                       // number in the watch; -1: goes with its last user
    bool is_open;                      // to other transfers: may be written, and has not changed
    std::uint64_t used;                // when last, in calls of expose()
    Registration registration;
    std::size_t bytes() const noexcept { return end - begin; }
  };

  Expected<Chunk*> chunk_with_room(std::size_t bytes);
  Exposed* find(std::uintptr_t begin, std::uintptr_t end) noexcept;
  Registration make(std::uintptr_t begin, std::uintptr_t end, int access) noexcept;
  int begin_watch(std::uintptr_t begin, std::uintptr_t end) noexcept;
  void drop_changed() noexcept;
  bool drop_oldest() noexcept;         // false: all are in use
  void uncache(Exposed& entry) noexcept;
  void drop(Exposed& entry) noexcept;

  ibv_pd* domain_;
  int access_;
  Cache cache_;
  std::optional<os::MemoryWatch> watch_;       // empty: nothing is cached
  std::vector<Chunk> chunks_;
  std::vector<Exposed> exposed_;       // by transfers under way, or cached
  std::size_t cached_bytes_ = 0;
  std::uint32_t cached_ = 0;
  std::uint64_t calls_ = 0;
  std::uint32_t changes_seen_ = 0;
};

// Why memory could not be registered, with the limit that is in the way where there is one.
std::string registration_failure(std::size_t bytes, int error);

}  // namespace weft::fabric::verbs
