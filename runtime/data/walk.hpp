// The walk over a program: from any byte of the packed stream to any other, handing blocks of memory to a sink in stream
// order. Private to data/: pack.cpp instantiates it for packing, unpacking and gathering runs.
// Recursion is one level per nested loop, never per element; the work is done in the sink's strided and list loops.
//
// A sink has, each answering whether to go on:
//   block(memory, bytes) · strided(memory, bytes, stride, count) · list(memory, List, stride, count)
#pragma once

#include <algorithm>
#include <cstdint>

#include "data/program.hpp"

namespace weft::data {

// The blocks of a scattered node: all of `bytes`, or (when that is 0) block i from starts[i] to starts[i + 1].
struct List {
  const std::int64_t* displacements;
  const std::int64_t* starts;
  std::int64_t bytes;
  std::int64_t members;
  std::int64_t span;

  std::int64_t start(std::int64_t i) const { return bytes != 0 ? i * bytes : starts[i]; }
  std::int64_t size(std::int64_t i) const { return bytes != 0 ? bytes : starts[i + 1] - starts[i]; }
  std::int64_t total() const { return bytes != 0 ? bytes * members : starts[members] - starts[0]; }
  List part(std::int64_t from, std::int64_t to) const { return {displacements + from, starts + from, bytes, to - from, span}; }
};

template <typename Sink>
class Walk {
 public:
  Walk(const Program* program, Sink& sink) : program_(program), sink_(sink) {}

  // Bytes [from, to) of all repetitions of a node whose body lies at `memory`. from < to <= node.total().
  bool node(const Node& node, char* memory, std::int64_t from, std::int64_t to) {
    memory += node.offset;
    std::int64_t repetition = 0;
    if (from >= node.bytes) {
      repetition = from / node.bytes;
      from -= repetition * node.bytes;
      to -= repetition * node.bytes;
      memory += repetition * node.stride;
    }
    if (from != 0 || to < node.bytes) {  // inside the first
      const std::int64_t end = std::min(to, node.bytes);
      if (!part(node, memory, from, end)) return false;
      if (end == to) return true;
      to -= node.bytes;
      memory += node.stride;
    }
    std::int64_t count = node.count - repetition;
    if (to < count * node.bytes) count = to / node.bytes;
    if (count > 0 && !whole(node, memory, count)) return false;
    const std::int64_t rest = to - count * node.bytes;
    return rest <= 0 || part(node, memory + count * node.stride, 0, rest);
  }

 private:
  // `count` whole repetitions.
  bool whole(const Node& node, char* memory, std::int64_t count) {
    if (node.kind == NodeKind::strided) return sink_.strided(memory, node.bytes, node.stride, count);
    if (node.kind == NodeKind::scattered) return sink_.list(memory, list_of(node), node.stride, count);
    const Node* body = program_->nodes + node.first;
    for (; count > 0; --count, memory += node.stride) {
      for (std::int64_t i = 0; i < node.members; ++i) {
        if (!whole(body[i], memory + body[i].offset, body[i].count)) return false;
      }
    }
    return true;
  }

  List list_of(const Node& node) const {
    return {program_->displacements + node.first, program_->starts + node.first_start, node.block_bytes, node.members,
            node.span};
  }

  // Bytes [from, to) of one repetition that lies at `memory`.
  bool part(const Node& node, char* memory, std::int64_t from, std::int64_t to) {
    switch (node.kind) {
      case NodeKind::strided: return sink_.block(memory + from, to - from);
      case NodeKind::scattered: return list_part(node, memory, from, to);
      case NodeKind::loop: return body_part(program_->nodes + node.first, node.members, memory, from, to);
    }
    return false;
  }

  bool list_part(const Node& node, char* memory, std::int64_t from, std::int64_t to) {
    const List list = list_of(node);
    std::int64_t i = list.bytes != 0 ? from / list.bytes
                                     : std::upper_bound(list.starts, list.starts + list.members, from) - list.starts - 1;
    if (const std::int64_t inside = from - list.start(i); inside != 0) {  // the end of a block
      const std::int64_t bytes = std::min(to - from, list.size(i) - inside);
      if (!sink_.block(memory + list.displacements[i] + inside, bytes)) return false;
      from += bytes;
      ++i;
    }
    if (from == to) return true;
    const std::int64_t end = list.bytes != 0
                                 ? to / list.bytes
                                 : std::upper_bound(list.starts + i, list.starts + list.members, to) - list.starts - 1;
    if (end > i && !sink_.list(memory, list.part(i, end), 0, 1)) return false;
    const std::int64_t rest = to - list.start(end);
    return rest == 0 || sink_.block(memory + list.displacements[end], rest);
  }

  bool body_part(const Node* body, std::int64_t members, char* memory, std::int64_t from, std::int64_t to) {
    const auto after = [](std::int64_t byte, const Node& node) { return byte < node.start; };
    const Node* next = std::upper_bound(body, body + members, from, after) - 1;
    for (; from < to; ++next) {
      const std::int64_t end = std::min(to, next->start + next->total());
      if (!node(*next, memory, from - next->start, end - next->start)) return false;
      from = end;
    }
    return true;
  }

  const Program* program_;
  Sink& sink_;
};

}  // namespace weft::data
