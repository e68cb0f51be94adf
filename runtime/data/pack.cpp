// Packing and unpacking: the sinks that copy between memory and the packed stream. Blocks of the usual small sizes have
// loops of their own, whose copies compile to single moves.
#include "data/pack.hpp"

#include <algorithm>
#include <cstring>

#include "data/program.hpp"
#include "data/walk.hpp"

namespace weft::data {
namespace {

enum class Way : bool { pack, unpack };

template <Way way, std::size_t bytes>
inline void move(char* memory, char* stream) {
  if constexpr (way == Way::pack) std::memcpy(stream, memory, bytes);
  if constexpr (way == Way::unpack) std::memcpy(memory, stream, bytes);
}

struct Sixteen {
  std::uint64_t words[2];
};
struct ThirtyTwo {
  std::uint64_t words[4];
};

// From one to two words: their first and their last word, which may overlap.
template <typename Word>
inline void copy_ends(char* to, const char* from, std::size_t bytes) {
  Word first, last;
  std::memcpy(&first, from, sizeof(Word));
  std::memcpy(&last, from + bytes - sizeof(Word), sizeof(Word));
  std::memcpy(to, &first, sizeof(Word));
  std::memcpy(to + bytes - sizeof(Word), &last, sizeof(Word));
}

// Any size, without a call up to 64 bytes.
inline void copy_short(char* to, const char* from, std::size_t bytes) {
  if (bytes <= 16) {
    if (bytes >= 8) return copy_ends<std::uint64_t>(to, from, bytes);
    if (bytes >= 4) return copy_ends<std::uint32_t>(to, from, bytes);
    if (bytes >= 2) return copy_ends<std::uint16_t>(to, from, bytes);
    *to = *from;
  } else if (bytes <= 32) {
    copy_ends<Sixteen>(to, from, bytes);
  } else if (bytes <= 64) {
    copy_ends<ThirtyTwo>(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

template <Way way>
class CopySink {
 public:
  explicit CopySink(char* stream) : stream_(stream) {}

  bool block(char* memory, std::int64_t bytes) {
    if constexpr (way == Way::pack) std::memcpy(stream_, memory, static_cast<std::size_t>(bytes));
    if constexpr (way == Way::unpack) std::memcpy(memory, stream_, static_cast<std::size_t>(bytes));
    stream_ += bytes;
    return true;
  }

  bool strided(char* memory, std::int64_t bytes, std::int64_t stride, std::int64_t count) {
    char* const stream = stream_;
    stream_ = stream + count * bytes;
    by_size(bytes, [=](auto copy_one) {
      std::int64_t i = 0;
      for (; i + 4 <= count; i += 4) {  // four at a time: the addresses come by constant steps
        copy_one(memory + i * stride, stream + i * bytes);
        copy_one(memory + (i + 1) * stride, stream + (i + 1) * bytes);
        copy_one(memory + (i + 2) * stride, stream + (i + 2) * bytes);
        copy_one(memory + (i + 3) * stride, stream + (i + 3) * bytes);
      }
      for (; i < count; ++i) copy_one(memory + i * stride, stream + i * bytes);
    });
    return true;
  }

  bool list(char* memory, const List& list, std::int64_t stride, std::int64_t count) {
    char* const stream = stream_;
    stream_ = stream + count * list.total();
    const List blocks = list;
    if (blocks.bytes == 0) {
      mixed_list(memory, blocks, stride, count, stream);
      return true;
    }
    by_size(blocks.bytes, [=](auto copy_one) {
      char* to = stream;
      for (std::int64_t n = 0; n < count; ++n) {
        char* const start = memory + n * stride;
        for (std::int64_t i = 0; i < blocks.members; ++i, to += blocks.bytes) copy_one(start + blocks.displacements[i], to);
      }
    });
    return true;
  }

 private:
  // Everything the loops need is passed by value: the bytes they store could alias anything that stays in memory.
  static void mixed_list(char* memory, const List blocks, std::int64_t stride, std::int64_t count, char* stream) {
    for (std::int64_t n = 0; n < count; ++n, memory += stride) {
      for (std::int64_t i = 0; i < blocks.members; ++i) {
        const auto bytes = static_cast<std::size_t>(blocks.size(i));
        any(memory + blocks.displacements[i], stream, bytes);
        stream += bytes;
      }
    }
  }

  static void any(char* memory, char* stream, std::size_t bytes) {
    if constexpr (way == Way::pack) copy_short(stream, memory, bytes);
    if constexpr (way == Way::unpack) copy_short(memory, stream, bytes);
  }

  template <typename Word>
  static void ends(char* memory, char* stream, std::size_t bytes) {
    if constexpr (way == Way::pack) copy_ends<Word>(stream, memory, bytes);
    if constexpr (way == Way::unpack) copy_ends<Word>(memory, stream, bytes);
  }

  // Calls the loop with a copy of exactly `bytes`.
  template <typename Loop>
  static void by_size(std::int64_t bytes, Loop loop) {
    switch (bytes) {
      case 1: return loop([](char* memory, char* stream) { move<way, 1>(memory, stream); });
      case 2: return loop([](char* memory, char* stream) { move<way, 2>(memory, stream); });
      case 4: return loop([](char* memory, char* stream) { move<way, 4>(memory, stream); });
      case 8: return loop([](char* memory, char* stream) { move<way, 8>(memory, stream); });
      case 12: return loop([](char* memory, char* stream) { move<way, 12>(memory, stream); });
      case 16: return loop([](char* memory, char* stream) { move<way, 16>(memory, stream); });
      case 24: return loop([](char* memory, char* stream) { move<way, 24>(memory, stream); });
      case 32: return loop([](char* memory, char* stream) { move<way, 32>(memory, stream); });
      case 48: return loop([](char* memory, char* stream) { move<way, 48>(memory, stream); });
      case 64: return loop([](char* memory, char* stream) { move<way, 64>(memory, stream); });
      default: break;
    }
    const auto length = static_cast<std::size_t>(bytes);
    if (bytes > 8 && bytes < 16) return loop([length](char* memory, char* stream) { ends<std::uint64_t>(memory, stream, length); });
    if (bytes > 16 && bytes < 32) return loop([length](char* memory, char* stream) { ends<Sixteen>(memory, stream, length); });
    if (bytes > 32 && bytes < 64) return loop([length](char* memory, char* stream) { ends<ThirtyTwo>(memory, stream, length); });
    loop([length](char* memory, char* stream) { any(memory, stream, length); });
  }

  char* stream_;
};

template <Way way>
std::int64_t transfer(const Datatype* type, char* memory, std::int64_t count, std::int64_t offset, char* stream,
                      std::int64_t stream_bytes) {
  const std::int64_t bytes = std::min(stream_bytes, packed_bytes(type, count) - offset);
  if (bytes <= 0) return 0;
  CopySink<way> sink(stream);
  if (type->contiguous) {
    sink.block(memory + offset, bytes);
    return bytes;
  }
  const Node root = root_of(type, count);
  Walk<CopySink<way>>(type->program, sink).node(root, memory, offset, offset + bytes);
  return bytes;
}

// Collects blocks as runs.
class RunSink {
 public:
  RunSink(iovec* runs, int limit) : runs_(runs), limit_(limit) {}
  int used() const { return used_; }

  bool block(char* memory, std::int64_t bytes) {
    if (used_ > 0) {
      iovec& last = runs_[used_ - 1];
      if (static_cast<char*>(last.iov_base) + last.iov_len == memory) {
        last.iov_len += static_cast<std::size_t>(bytes);
        return true;
      }
    }
    if (used_ == limit_) return false;
    runs_[used_++] = {memory, static_cast<std::size_t>(bytes)};
    return true;
  }

  bool strided(char* memory, std::int64_t bytes, std::int64_t stride, std::int64_t count) {
    bool more = true;
    for (std::int64_t i = 0; more && i < count; ++i) more = block(memory + i * stride, bytes);
    return more;
  }

  bool list(char* memory, const List& list, std::int64_t stride, std::int64_t count) {
    bool more = true;
    for (std::int64_t n = 0; more && n < count; ++n, memory += stride) {
      for (std::int64_t i = 0; more && i < list.members; ++i) more = block(memory + list.displacements[i], list.size(i));
    }
    return more;
  }

 private:
  iovec* runs_;
  int limit_;
  int used_ = 0;
};

}  // namespace

std::int64_t pack(const Datatype* type, const void* address, std::int64_t count, std::int64_t offset_bytes, void* out,
                  std::int64_t out_bytes) {
  char* memory = const_cast<char*>(static_cast<const char*>(address));
  return transfer<Way::pack>(type, memory, count, offset_bytes, static_cast<char*>(out), out_bytes);
}

std::int64_t unpack(const Datatype* type, void* address, std::int64_t count, std::int64_t offset_bytes, const void* in,
                    std::int64_t in_bytes) {
  char* stream = const_cast<char*>(static_cast<const char*>(in));
  return transfer<Way::unpack>(type, static_cast<char*>(address), count, offset_bytes, stream, in_bytes);
}

int runs(const Datatype* type, const void* address, std::int64_t count, std::int64_t offset_bytes, iovec* out, int max_runs,
         std::int64_t max_bytes) {
  const std::int64_t bytes = std::min(max_bytes, packed_bytes(type, count) - offset_bytes);
  if (bytes <= 0 || max_runs <= 0) return 0;
  char* memory = const_cast<char*>(static_cast<const char*>(address));
  RunSink sink(out, max_runs);
  const Node root = root_of(type, count);
  Walk<RunSink>(type->program, sink).node(root, memory, offset_bytes, offset_bytes + bytes);
  return sink.used();
}

std::int64_t copy(const Datatype* from_type, const void* from, std::int64_t from_count, const Datatype* to_type, void* to,
                  std::int64_t to_count) {
  const std::int64_t bytes = std::min(packed_bytes(from_type, from_count), packed_bytes(to_type, to_count));
  if (bytes <= 0) return 0;
  if (void* flat = single_run(to_type, to, to_count)) return pack(from_type, from, from_count, 0, flat, bytes);
  constexpr int at_once = 64;
  iovec pieces[at_once];
  for (std::int64_t done = 0; done < bytes;) {
    const int found = runs(from_type, from, from_count, done, pieces, at_once, bytes - done);
    for (int i = 0; i < found; ++i) {
      const auto length = static_cast<std::int64_t>(pieces[i].iov_len);
      done += unpack(to_type, to, to_count, done, pieces[i].iov_base, length);
    }
  }
  return bytes;
}

}  // namespace weft::data
