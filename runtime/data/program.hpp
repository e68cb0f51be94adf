// The compact form of a committed datatype: loops over blocks, which pack.cpp runs. Made by program.cpp at commit, never
// changed. A body is a list of nodes whose packed bytes follow one another; each node repeats something `count` times:
//   strided:   one block of `bytes`
//   scattered: `members` blocks listed in `displacements` (all of `block_bytes`, or cut by `starts` when that is 0)
//   loop:      the body nodes[first .. first + members)
// Bodies may be shared by several loops. Every node knows its packed start, so that a walk may begin at any byte.
#pragma once

#include <cstdint>

#include "data/datatype.hpp"

namespace weft::data {

enum class NodeKind : std::uint8_t { strided, scattered, loop };

struct Node {
  NodeKind kind = NodeKind::strided;
  std::int64_t start = 0;        // packed bytes before this node in its body
  std::int64_t offset = 0;       // displacement of the first repetition from the body's address
  std::int64_t count = 1;        // repetitions
  std::int64_t stride = 0;       // bytes from one repetition to the next
  std::int64_t bytes = 0;        // packed bytes of one repetition
  std::int64_t first = 0;        // loop: index in nodes; scattered: index in displacements
  std::int64_t members = 0;      // how many of them
  std::int64_t first_start = 0;  // scattered, mixed sizes: index in starts of members + 1 packed offsets
  std::int64_t block_bytes = 0;  // scattered: the size of every block, 0 when they differ
  std::int64_t span = 0;         // scattered: bytes from its lowest to its highest byte

  std::int64_t total() const { return count * bytes; }
  bool single() const { return kind == NodeKind::strided && count == 1; }
};

struct Program {
  const Node* nodes = nullptr;  // the first `roots` are the body of one element
  std::int64_t roots = 0;
  const std::int64_t* displacements = nullptr;
  const std::int64_t* starts = nullptr;
};

// The program of a type from its recipe; null when one block of `size` bytes at the true lower bound says it all.
// False when memory is out.
bool build_program(const Datatype* type, const Program** program);
void destroy_program(const Program* program);

// One node that stands for `count` elements of a type.
Node root_of(const Datatype* type, std::int64_t count);

}  // namespace weft::data
