// Blocks: memory for the payloads of unexpected messages, in sizes of powers of two, kept for the next one when given
// back. No heap once the largest pile has been seen. One thread at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace weft::match {

class Blocks {
 public:
  Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() {
    for (void* chunk : chunks_) std::free(chunk);
  }

  std::byte* take(std::size_t bytes) {
    Free*& first = free_[size_class(bytes)];
    if (first == nullptr) refill(size_class(bytes));
    Free* block = first;
    first = block->next;
    return reinterpret_cast<std::byte*>(block);
  }
  void give(std::byte* block, std::size_t bytes) noexcept {
    Free*& first = free_[size_class(bytes)];
    auto* freed = reinterpret_cast<Free*>(block);
    freed->next = first;
    first = freed;
  }

 private:
  struct Free { Free* next; };
  static constexpr std::size_t smallest = 64;
  static constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

  static std::size_t size_class(std::size_t bytes) noexcept {
    return bytes <= smallest ? 0 : static_cast<std::size_t>(std::bit_width((bytes - 1) / smallest));
  }
  void refill(std::size_t size) {
    const std::size_t block = smallest << size;
    const std::size_t total = block > chunk_bytes ? block : chunk_bytes;
    auto* chunk = static_cast<std::byte*>(std::malloc(total));
    chunks_.push_back(chunk);
    for (std::size_t offset = 0; offset + block <= total; offset += block) {
      auto* freed = reinterpret_cast<Free*>(chunk + offset);
      freed->next = free_[size];
      free_[size] = freed;
    }
  }

  Free* free_[48] = {};
  std::vector<void*> chunks_;
};

}  // namespace weft::match
