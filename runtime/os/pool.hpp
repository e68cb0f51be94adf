// Pool: objects that are made once and used again. take() gives one in whatever state give() left it, so the caller sets
// every field it reads. Memory grows by chunks, only when all are in use, and is never given back: after warm-up a pool
// costs no heap, and a stale pointer still points at an object of the type. One thread at a time.
#pragma once

#include <cstddef>

namespace weft::os {

// T has a member `T* next_free`.
template <class T>
class Pool {
 public:
  T* take() {
    if (__builtin_expect(free_ == nullptr, 0)) grow();
    T* object = free_;
    free_ = object->next_free;
    return object;
  }
  // One that lies ready, or null: then take() would have to grow.
  T* take_ready() noexcept {
    T* object = free_;
    if (object != nullptr) [[likely]] free_ = object->next_free;
    return object;
  }
  void give(T* object) noexcept {
    object->next_free = free_;
    free_ = object;
  }

 private:
  struct Chunk {
    T objects[sizeof(T) >= 4096 ? 1 : 4096 / sizeof(T)];
    Chunk* next;          // keeps the chunk reachable, so that leak checkers see it
  };

  __attribute__((noinline)) void grow() {
    Chunk* chunk = new Chunk;
    chunk->next = chunks_;
    chunks_ = chunk;
    for (T& object : chunk->objects) give(&object);
  }

  T* free_ = nullptr;
  Chunk* chunks_ = nullptr;
};

}  // namespace weft::os
