// From recipes to programs, at commit: nested recipes become bodies, neighbouring blocks are joined, regular blocks become
// strides, small groups become lists, everything else loops. Heap and recursion are fine here; packing has neither.
// Invariant: the walk of a body visits the bytes in typemap order.
#include "data/program.hpp"

#include <algorithm>
#include <new>
#include <unordered_map>
#include <vector>

namespace weft::data {
namespace {

using Body = std::vector<Node>;

// A strided node of so few blocks is cheaper as part of a list than as a node of its own.
constexpr std::int64_t few_blocks = 8;

Node single(std::int64_t offset, std::int64_t bytes) {
  Node node;
  node.offset = offset;
  node.bytes = bytes;
  return node;
}

std::int64_t bytes_of(const Body& body) {
  std::int64_t bytes = 0;
  for (const Node& node : body) bytes += node.total();
  return bytes;
}

// Adds a node at a displacement; joins blocks that touch.
void append(Body& body, Node node, std::int64_t displacement) {
  node.offset += displacement;
  if (!body.empty() && node.single() && body.back().single() && body.back().offset + body.back().bytes == node.offset) {
    body.back().bytes += node.bytes;
    return;
  }
  body.push_back(node);
}

class Builder {
 public:
  Body body_of(const Datatype* type);
  Node as_one_node(const Body& body, std::int64_t count, std::int64_t stride);
  Body compact(const Body& body);
  Node listed(const Node& strided);
  bool finish(const Body& body, const Program** program);

 private:
  Body build(const Datatype* type);
  Body repeat(const Body& body, std::int64_t count, std::int64_t stride);
  Node gather(const Node* first, const Node* last);
  std::int64_t keep(const Body& body);

  std::vector<Node> nodes_;
  std::vector<std::int64_t> displacements_;
  std::vector<std::int64_t> starts_;
  std::unordered_map<const Datatype*, Body> known_;
};

Body Builder::body_of(const Datatype* type) {
  if (type->size == 0) return {};
  if (type->recipe == nullptr) {
    if (type->program == nullptr) return {single(type->true_lower_bound, type->size)};
    return {type->program->nodes, type->program->nodes + type->program->roots};  // predefined: single blocks
  }
  const auto found = known_.find(type);
  if (found != known_.end()) return found->second;
  return known_.emplace(type, build(type)).first->second;
}

Body Builder::build(const Datatype* type) {
  const Recipe& recipe = *type->recipe;
  Body group;
  const Datatype* last = nullptr;
  Body element;
  for (std::size_t i = 0; i < recipe.lengths.size(); ++i) {
    const Datatype* part = recipe.type_of(i);
    if (part != last) element = body_of(part);
    last = part;
    const std::int64_t length = recipe.lengths[i];
    const bool block = element.size() == 1 && element[0].single();
    if (block && (length == 1 || element[0].bytes == part->extent)) {
      append(group, single(element[0].offset, element[0].bytes * length), recipe.displacements[i]);
    } else {
      for (const Node& node : repeat(element, length, part->extent)) append(group, node, recipe.displacements[i]);
    }
  }
  return repeat(group, recipe.count, recipe.stride);
}

// A body `count` times at `stride`.
Body Builder::repeat(const Body& body, std::int64_t count, std::int64_t stride) {
  if (count == 0 || body.empty()) return {};
  if (count == 1) return body;
  return {as_one_node(body, count, stride)};
}

Node Builder::as_one_node(const Body& raw, std::int64_t count, std::int64_t stride) {
  const Body body = compact(raw);
  if (body.size() == 1) {
    Node node = body[0];
    if (count == 1) return node;
    if (node.single() && node.bytes == stride) return single(node.offset, node.bytes * count);
    if (node.count == 1 || node.stride * node.count == stride) {
      node.stride = node.count == 1 ? stride : node.stride;
      node.count *= count;
      return node;
    }
    if (node.kind == NodeKind::strided && node.count <= few_blocks) {
      Node list = listed(node);
      list.count = count;
      list.stride = stride;
      return list;
    }
  }
  Node loop;
  loop.kind = NodeKind::loop;
  loop.count = count;
  loop.stride = stride;
  loop.bytes = bytes_of(body);
  loop.first = keep(body);
  loop.members = static_cast<std::int64_t>(body.size());
  return loop;
}

// Single blocks in a row become one node: a stride when they are regular, else a list.
Body Builder::compact(const Body& body) {
  if (body.size() == 1) return body;
  Body blocks;  // short strides dissolved, so that they join the lists beside them
  for (const Node& node : body) {
    if (node.kind == NodeKind::strided && node.count <= few_blocks) {
      for (std::int64_t i = 0; i < node.count; ++i) append(blocks, single(node.offset + i * node.stride, node.bytes), 0);
    } else {
      blocks.push_back(node);
    }
  }
  Body result;
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t end = i;
    while (end < blocks.size() && blocks[end].single()) ++end;
    if (end - i < 2) {
      result.push_back(blocks[i++]);
      continue;
    }
    result.push_back(gather(blocks.data() + i, blocks.data() + end));
    i = end;
  }
  return result;
}

// A short strided node as a list.
Node Builder::listed(const Node& strided) {
  Body blocks;
  for (std::int64_t i = 0; i < strided.count; ++i) blocks.push_back(single(strided.offset + i * strided.stride, strided.bytes));
  return gather(blocks.data(), blocks.data() + blocks.size());
}

Node Builder::gather(const Node* first, const Node* last) {
  const std::int64_t members = last - first;
  const std::int64_t stride = first[1].offset - first[0].offset;
  bool same_size = true, same_stride = true;
  for (const Node* node = first + 1; node != last; ++node) {
    same_size &= node->bytes == first->bytes;
    same_stride &= node->offset - node[-1].offset == stride;
  }
  Node gathered = *first;
  if (same_size && same_stride && members > few_blocks) {
    gathered.count = members;
    gathered.stride = stride;
    return gathered;
  }
  gathered.kind = NodeKind::scattered;
  gathered.offset = 0;
  gathered.first = static_cast<std::int64_t>(displacements_.size());
  gathered.members = members;
  gathered.block_bytes = same_size ? first->bytes : 0;
  gathered.first_start = static_cast<std::int64_t>(starts_.size());
  std::int64_t start = 0, low = first->offset, high = low;
  for (const Node* node = first; node != last; ++node) {
    displacements_.push_back(node->offset);
    low = std::min(low, node->offset);
    high = std::max(high, node->offset + node->bytes);
    if (!same_size) starts_.push_back(start);
    start += node->bytes;
  }
  if (!same_size) starts_.push_back(start);
  gathered.bytes = start;
  gathered.span = high - low;
  return gathered;
}

// Stores a body for loops to refer to.
std::int64_t Builder::keep(const Body& body) {
  const auto first = static_cast<std::int64_t>(nodes_.size());
  std::int64_t start = 0;
  for (Node node : body) {
    node.start = start;
    start += node.total();
    nodes_.push_back(node);
  }
  return first;
}

template <typename T>
const T* frozen(const std::vector<T>& values, bool& complete) {
  if (values.empty()) return nullptr;
  T* copy = new (std::nothrow) T[values.size()];
  if (copy == nullptr) complete = false;
  if (copy != nullptr) std::copy(values.begin(), values.end(), copy);
  return copy;
}

bool Builder::finish(const Body& body, const Program** program) {
  // The roots come first, so the bodies kept so far move up.
  const auto roots = static_cast<std::int64_t>(body.size());
  std::vector<Node> kept;
  kept.swap(nodes_);
  keep(body);
  nodes_.insert(nodes_.end(), kept.begin(), kept.end());
  for (Node& node : nodes_) {
    if (node.kind == NodeKind::loop) node.first += roots;
  }
  bool complete = true;
  auto* made = new (std::nothrow) Program{frozen(nodes_, complete), roots, frozen(displacements_, complete),
                                          frozen(starts_, complete)};
  *program = made;
  return made != nullptr && complete;
}

}  // namespace

bool build_program(const Datatype* type, const Program** program) {
  *program = nullptr;
  Builder builder;
  Body body = builder.compact(builder.body_of(type));
  if (body.empty()) return true;
  if (body.size() == 1 && body[0].single()) return true;
  // So that several elements are one list as well, unless they continue the stride.
  const Node& root = body[0];
  if (body.size() == 1 && root.kind == NodeKind::strided && root.count <= few_blocks &&
      root.count * root.stride != type->extent) {
    body[0] = builder.listed(root);
  }
  return builder.finish(body, program);
}

void destroy_program(const Program* program) {
  if (program == nullptr) return;
  delete[] program->nodes;
  delete[] program->displacements;
  delete[] program->starts;
  delete program;
}

Node root_of(const Datatype* type, std::int64_t count) {
  Node root;
  if (type->program == nullptr) {
    root = single(type->true_lower_bound, type->size);
  } else if (type->program->roots == 1) {
    root = type->program->nodes[0];
  } else {
    root.kind = NodeKind::loop;
    root.bytes = type->size;
    root.members = type->program->roots;
  }
  if (count == 1) return root;
  if (root.single() && root.bytes == type->extent) return single(root.offset, root.bytes * count);
  if (root.count == 1 || root.stride * root.count == type->extent) {
    if (root.count == 1) root.stride = type->extent;
    root.count *= count;
    return root;
  }
  root = Node{};
  root.kind = NodeKind::loop;
  root.count = count;
  root.stride = type->extent;
  root.bytes = type->size;
  root.members = type->program->roots;
  return root;
}

}  // namespace weft::data
