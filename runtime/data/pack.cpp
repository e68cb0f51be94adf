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
    two_strides(bytes, memory, stride, stream, bytes, count);
    return true;
  }

  bool list(char* memory, const List& list, std::int64_t stride, std::int64_t count) {
    char* const stream = stream_;
    stream_ = stream + count * list.total();
    const bool apart = list.span <= (stride < 0 ? -stride : stride);  // else the order of writes would show
    if (list.bytes == 0 && count >= few && apart) {
      by_blocks(memory, list, stride, count, stream);
    } else {
      by_elements(memory, list, stride, count, stream);
    }
    return true;
  }

 private:
  // Repetitions from which on a list goes block by block, and how many of them at a time, so that they stay in the cache.
  static constexpr std::int64_t few = 4;
  static constexpr std::int64_t at_once = 32;

  // The functions below get all they need by value: the bytes they store could alias anything that stays in memory.

  // The first block of some elements, then their second...: loops over blocks of one size instead of a choice at each.
  static void by_blocks(char* memory, const List list, std::int64_t stride, std::int64_t count, char* stream) {
    const std::int64_t total = list.total();
    for (std::int64_t done = 0; done < count; done += at_once) {
      const std::int64_t now = std::min(at_once, count - done);
      char* to = stream + done * total;
      for (std::int64_t i = 0; i < list.members; ++i) {
        const std::int64_t bytes = list.size(i);
        two_strides(bytes, memory + done * stride + list.displacements[i], stride, to, total, now);
        to += bytes;
      }
    }
  }

  static void by_elements(char* memory, const List list, std::int64_t stride, std::int64_t count, char* stream) {
    for (std::int64_t n = 0; n < count; ++n, memory += stride) {
      if (list.bytes == 0) {
        mixed_list(memory, list, stream);
      } else {
        equal_list(memory, list, stream);
      }
      stream += list.total();
    }
  }

  static void mixed_list(char* memory, const List list, char* stream) {
    for (std::int64_t i = 0; i < list.members; ++i) {
      const auto bytes = static_cast<std::size_t>(list.size(i));
      any(memory + list.displacements[i], stream, bytes);
      stream += bytes;
    }
  }

  static void equal_list(char* memory, const List list, char* stream) {
    by_size(list.bytes, [=](auto copy_one) {
      const std::int64_t* const at = list.displacements;
      const std::int64_t bytes = list.bytes;
      char* to = stream;
      std::int64_t i = 0;
      for (; i + 4 <= list.members; i += 4, to += 4 * bytes) {
        copy_one(memory + at[i], to);
        copy_one(memory + at[i + 1], to + bytes);
        copy_one(memory + at[i + 2], to + 2 * bytes);
        copy_one(memory + at[i + 3], to + 3 * bytes);
      }
      for (; i < list.members; ++i, to += bytes) copy_one(memory + at[i], to);
    });
  }

  // `count` blocks, each side at its own stride.
  static void two_strides(std::int64_t bytes, char* memory, std::int64_t stride, char* stream, std::int64_t stream_stride,
                          std::int64_t count) {
    by_size(bytes, [=](auto copy_one) {
      char *from = memory, *to = stream;
      std::int64_t i = 0;
      for (; i + 4 <= count; i += 4, from += 4 * stride, to += 4 * stream_stride) {
        copy_one(from, to);
        copy_one(from + stride, to + stream_stride);
        copy_one(from + 2 * stride, to + 2 * stream_stride);
        copy_one(from + 3 * stride, to + 3 * stream_stride);
      }
      for (; i < count; ++i, from += stride, to += stream_stride) copy_one(from, to);
    });
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
