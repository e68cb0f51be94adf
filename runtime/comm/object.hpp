// What every object behind an MPI handle has in common: it has a magic word that names its kind and is cleared when
// the object is freed, and it comes from a pool whose memory is never given back. So a freed or wrong handle is seen,
// not followed. Pools are used under the runtime lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace weft::comm {

// The kinds of object that carry attributes or error handlers.
enum class ObjectKind : std::uint8_t { communicator, datatype, window, file, session };

// An object class T has `static constexpr std::uint32_t magic_value` and a member `std::uint32_t magic`.
template <typename T>
class Pool {
 public:
  template <typename... Args>
  static T* make(Args&&... args) {
    if (free_ == nullptr) grow();
    Cell* cell = free_;
    free_ = cell->next;
    T* object = new (cell->bytes) T(std::forward<Args>(args)...);
    object->magic = T::magic_value;
    return object;
  }

  static void release(T* object) {
    std::uint32_t* const magic = &object->magic;
    object->~T();
    new (magic) std::uint32_t(0);            // a stale handle finds no magic here
    Cell* cell = reinterpret_cast<Cell*>(object);
    cell->next = free_;
    free_ = cell;
  }

 private:
  struct Cell {
    alignas(T) std::byte bytes[sizeof(T)];
    Cell* next;                              // outside the object, so that it never looks like one
  };
  static constexpr std::size_t cells_per_chunk = sizeof(Cell) >= 4096 ? 1 : 4096 / sizeof(Cell);
  struct Chunk {
    Chunk* before;                           // keeps every chunk known by its start, or leak checkers call it lost
    Cell cells[cells_per_chunk];
  };

  static void grow() {
    chunks_ = new Chunk{chunks_, {}};
    for (Cell& cell : chunks_->cells) {
      cell.next = free_;
      free_ = &cell;
    }
  }
  static inline Cell* free_ = nullptr;
  static inline Chunk* chunks_ = nullptr;
};

}  // namespace weft::comm
