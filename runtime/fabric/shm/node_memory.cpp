// The node's shared file: creation, pages on demand, a small heap.
#include "fabric/shm/node_memory.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <unistd.h>

#include <fmt/format.h>

namespace weft::fabric::shm {
namespace {

std::size_t whole_pages(std::size_t bytes) { return (bytes + page_bytes - 1) & ~(page_bytes - 1); }

}  // namespace

Done NodeMemory::adopt(os::Fd file, Layout layout, int local_rank) {
  Expected<os::Mapping> mapping = os::map_file(file, layout.bytes());
  if (!mapping) return mapping.failure();
  file_ = std::move(file);
  mapping_ = std::move(*mapping);
  layout_ = layout;
  local_rank_ = local_rank;
  return os::reserve_file(file_.get(), layout_.page_offset(local_rank), sizeof(RankPage));
}

Expected<NodeMemory> NodeMemory::create(Layout layout, int local_rank) {
  Expected<os::Fd> file = os::create_memory_file("weft-node", layout.bytes());
  if (!file) return file.failure();
  NodeMemory memory;
  Done done = os::reserve_file(file->get(), 0, layout.page_offset(layout.ranks));
  if (!done) return done.failure();
  done = memory.adopt(std::move(*file), layout, local_rank);
  if (!done) return done.failure();
  return memory;
}

Expected<NodeMemory> NodeMemory::attach(os::Fd file, Layout layout, int local_rank) {
  NodeMemory memory;
  Done done = memory.adopt(std::move(file), layout, local_rank);
  if (!done) return done.failure();
  return memory;
}

Done NodeMemory::reserve(std::size_t offset, std::size_t bytes) { return os::reserve_file(file_.get(), offset, bytes); }

Expected<std::uint64_t> NodeMemory::allocate(std::size_t bytes) {
  bytes = whole_pages(bytes);
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < free_blocks_.size() && offset == 0; ++i)
    if (free_blocks_[i].bytes == bytes) {
      offset = free_blocks_[i].offset;
      free_blocks_[i] = free_blocks_.back();
      free_blocks_.pop_back();
    }
  if (offset == 0) {
    if (bytes > heap_bytes - heap_used_)
      return Failure{Status::no_memory, fmt::format("shared heap of rank: {} bytes needed, {} of {} bytes free", bytes, heap_bytes - heap_used_, heap_bytes)};
    offset = layout_.heap_offset(local_rank_) + heap_used_;
  }
  Done done = os::reserve_file(file_.get(), offset, bytes);
  if (!done) return done.failure();
  if (offset == layout_.heap_offset(local_rank_) + heap_used_) heap_used_ += bytes;
  return offset;
}

void NodeMemory::free(std::uint64_t offset, std::size_t bytes) {
  bytes = whole_pages(bytes);
  // a hole gives the pages back to the host and reads as zeros when it is reserved again
  (void)::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  free_blocks_.push_back({offset, bytes});
}

}  // namespace weft::fabric::shm
