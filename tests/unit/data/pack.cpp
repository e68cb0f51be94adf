// Packing against the typemap oracle: random trees of types, every cut of the stream, runs, typed copies, and that nothing
// is allocated on the way.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "data/pack.hpp"
#include "oracle.hpp"

namespace {

std::int64_t allocations = 0;

}  // namespace

// Not inlined, so that compilers don't see a malloc behind one and a delete behind the other.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) std::abort();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return operator new(bytes); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weft::test {
namespace {

// Memory with room for all bytes of `count` elements, and the address the type is used at.
struct Memory {
  std::vector<char> bytes;
  char* address;

  Memory(const Typemap& map, std::int64_t count) {
    const std::int64_t last = (count - 1) * map.extent();
    const std::int64_t low = map.true_lower() + std::min<std::int64_t>(0, last);
    const std::int64_t high = map.true_upper() + std::max<std::int64_t>(0, last);
    bytes.resize(static_cast<std::size_t>(high - low + 2));
    address = bytes.data() - low;
  }
  void fill(Random& random) {
    for (char& byte : bytes) byte = static_cast<char>(random());
  }
};

template <typename Visit>
void each_byte(const Typemap& map, std::int64_t count, Visit&& visit) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Typemap::Entry& entry : map.entries) {
      for (std::int64_t b = 0; b < entry.bytes; ++b) visit(i * map.extent() + entry.displacement + b);
    }
  }
}

std::string packed_slowly(const Typemap& map, const char* address, std::int64_t count) {
  std::string stream;
  each_byte(map, count, [&](std::int64_t at) { stream.push_back(address[at]); });
  return stream;
}

void check_pack(const Both& both, std::int64_t count, Random& random) {
  Memory memory(both.map, count);
  memory.fill(random);
  const std::string expected = packed_slowly(both.map, memory.address, count);
  const auto size = static_cast<std::int64_t>(expected.size());
  std::string stream(expected.size() + 1, '\0');
  ASSERT_EQ(data::pack(both.type, memory.address, count, 0, stream.data(), size + 1), size);
  ASSERT_EQ(std::memcmp(stream.data(), expected.data(), expected.size()), 0);

  // In pieces, cut anywhere.
  for (int round = 0; round < 4; ++round) {
    std::string pieces(expected.size(), '\0');
    for (std::int64_t done = 0; done < size;) {
      const std::int64_t length = pick(random, 1, round == 0 ? 3 : 100);
      done += data::pack(both.type, memory.address, count, done, pieces.data() + done, std::min(length, size - done));
    }
    ASSERT_EQ(pieces, expected);
  }
}

void check_unpack(const Both& both, std::int64_t count, Random& random) {
  Memory expected(both.map, count);
  expected.fill(random);
  Memory memory = Memory(both.map, count);
  memory.bytes = expected.bytes;
  memory.address = memory.bytes.data() + (expected.address - expected.bytes.data());
  std::string stream(static_cast<std::size_t>(both.map.size() * count), '\0');
  for (char& byte : stream) byte = static_cast<char>(random());
  std::size_t next = 0;
  each_byte(both.map, count, [&](std::int64_t at) { expected.address[at] = stream[next++]; });
  const auto size = static_cast<std::int64_t>(stream.size());
  for (std::int64_t done = 0; done < size;) {
    const std::int64_t length = std::min(pick(random, 1, 60), size - done);
    done += data::unpack(both.type, memory.address, count, done, stream.data() + done, length);
  }
  ASSERT_EQ(memory.bytes, expected.bytes);
}

void check_runs(const Both& both, std::int64_t count, Random& random) {
  Memory memory(both.map, count);
  std::vector<const char*> expected;
  each_byte(both.map, count, [&](std::int64_t at) { expected.push_back(memory.address + at); });
  std::vector<const char*> found;
  iovec pieces[16];
  const auto total = static_cast<std::int64_t>(expected.size());
  for (;;) {
    const int room = static_cast<int>(pick(random, 1, 16));
    const std::int64_t limit = pick(random, 1, 200);
    const auto done = static_cast<std::int64_t>(found.size());
    const int used = data::runs(both.type, memory.address, count, done, pieces, room, limit);
    ASSERT_LE(used, room);
    if (used == 0) break;
    for (int i = 0; i < used; ++i) {
      for (std::size_t b = 0; b < pieces[i].iov_len; ++b) found.push_back(static_cast<const char*>(pieces[i].iov_base) + b);
    }
    ASSERT_LE(static_cast<std::int64_t>(found.size()) - done, limit);
    ASSERT_LE(static_cast<std::int64_t>(found.size()), total);
  }
  ASSERT_EQ(found, expected);
}

void check_single_run(const Both& both, std::int64_t count) {
  if (count < 1 || both.type->size == 0) return;
  Memory memory(both.map, count);
  iovec pieces[2];
  const int used = data::runs(both.type, memory.address, count, 0, pieces, 2);
  void* flat = data::single_run(both.type, memory.address, count);
  if (flat != nullptr) {
    EXPECT_EQ(used, 1);
    EXPECT_EQ(pieces[0].iov_base, flat);
  }
  if (both.type->contiguous) {
    EXPECT_EQ(flat, memory.address);
  }
}

TEST(Pack, RandomTreesMatchTheTypemap) {
  Random random(20260131);
  int tried = 0;
  for (int round = 0; round < 3000; ++round) {
    const Both both = make_random(random, static_cast<int>(pick(random, 0, 4)));
    ASSERT_NE(both.type, nullptr);
    if (both.map.size() > 1500 || both.map.true_upper() - both.map.true_lower() > 400000) continue;
    ASSERT_EQ(data::commit(both.type), Status::ok);
    const std::int64_t count = pick(random, 0, 5);
    SCOPED_TRACE("round " + std::to_string(round));
    ++tried;
    check_pack(both, count, random);
    check_unpack(both, count, random);
    check_runs(both, count, random);
    check_single_run(both, count);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tried, 2000);
}

TEST(Pack, EveryPairOfCutsOfAStructOfVectors) {
  Random random(7);
  const Both number = basic(0x214), letter = basic(0x243), odd = basic(0x22c);
  const Both rows = hvector(3, 2, 40, number);
  const Both all = structure({1, 3, 2}, {0, 130, 140}, {&rows, &letter, &odd});
  ASSERT_EQ(data::commit(all.type), Status::ok);
  constexpr std::int64_t count = 2;
  Memory memory(all.map, count);
  memory.fill(random);
  const std::string expected = packed_slowly(all.map, memory.address, count);
  const auto size = static_cast<std::int64_t>(expected.size());
  for (std::int64_t from = 0; from <= size; ++from) {
    for (std::int64_t to = from; to <= size; ++to) {
      std::string piece(static_cast<std::size_t>(to - from), '\0');
      ASSERT_EQ(data::pack(all.type, memory.address, count, from, piece.data(), to - from), to - from);
      ASSERT_EQ(piece, expected.substr(static_cast<std::size_t>(from), piece.size()));
    }
  }
}

TEST(Pack, OverlappingElementsAreSentTwice) {
  Random random(3);
  const Both part = resized(contiguous(4, basic(0x209)), 0, 4);
  ASSERT_EQ(data::commit(part.type), Status::ok);
  check_pack(part, 5, random);
}

TEST(Pack, CopyBetweenTypes) {
  Random random(11);
  for (int round = 0; round < 500; ++round) {
    const Both from = make_random(random, 3), to = make_random(random, 2);
    if (from.map.size() > 1000 || to.map.size() > 1000) continue;
    data::commit(from.type);
    data::commit(to.type);
    Memory source(from.map, 2), expected(to.map, 3);
    source.fill(random);
    Memory target(to.map, 3);
    const std::string stream = packed_slowly(from.map, source.address, 2);
    std::size_t next = 0;
    each_byte(to.map, 3, [&](std::int64_t at) {
      if (next < stream.size()) expected.address[at] = stream[next++];
    });
    const auto moved = data::copy(from.type, source.address, 2, to.type, target.address, 3);
    ASSERT_EQ(moved, std::min<std::int64_t>(static_cast<std::int64_t>(stream.size()), to.map.size() * 3));
    ASSERT_EQ(target.bytes, expected.bytes);
  }
}

TEST(Pack, NoHeap) {
  Random random(5);
  const Both cube = subarray({20, 20, 20}, {7, 9, 5}, {1, 2, 3}, data::Order::c, basic(0x22c));
  const Both mixed = structure({1, 1}, {0, 4 * 8000 * 8}, {&cube, &cube});
  data::commit(mixed.type);
  Memory memory(mixed.map, 2);
  std::string stream(static_cast<std::size_t>(mixed.map.size() * 2), '\0');
  const auto size = static_cast<std::int64_t>(stream.size());
  iovec pieces[32];
  const std::int64_t before = allocations;
  std::int64_t done = 0;
  while (done < size) done += data::pack(mixed.type, memory.address, 2, done, stream.data() + done, 1000);
  done = 0;
  while (done < size) done += data::unpack(mixed.type, memory.address, 2, done, stream.data() + done, std::min<std::int64_t>(777, size - done));
  const int used = data::runs(mixed.type, memory.address, 2, 1234, pieces, 32);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(used, 32);
  EXPECT_EQ(done, size);
}

// 6 GB of stream over 8 bytes of memory: an element that doesn't advance.
TEST(Pack, HugeCounts) {
  const Both still = resized(contiguous(2, basic(0x209)), 0, 0);
  data::commit(still.type);
  const std::int64_t count = 800'000'000;
  int memory[2] = {0x01020304, 0x05060708};
  char out[16];
  const std::int64_t offset = 8 * (count - 3) + 4;
  ASSERT_EQ(data::pack(still.type, memory, count, offset, out, 16), 16);
  int expected[4] = {memory[1], memory[0], memory[1], memory[0]};
  EXPECT_EQ(std::memcmp(out, expected, 16), 0);
  data::Datatype* huge = data::make_contiguous(3'000'000'000, data::predefined(0x214));
  data::commit(huge);
  EXPECT_EQ(huge->size, 24'000'000'000);
  iovec piece;
  ASSERT_EQ(data::runs(huge, memory, 1, 5, &piece, 1), 1);
  EXPECT_EQ(piece.iov_len, 23'999'999'995u);
  data::release(huge);
}

}  // namespace
}  // namespace weft::test
