// MemoryWatch: each way in which a program can come to other pages at the same address is seen, by itself and while other threads
// do the same. Skipped where the kernel does not permit it.
#include "os/memory_watch.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

namespace weft::os {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t bytes = 16 * page;

std::byte* map(void* at = nullptr, int flags = 0) {
  void* memory = ::mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  EXPECT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, bytes);
  return static_cast<std::byte*>(memory);
}

class Watching : public testing::Test {
 protected:
  void SetUp() override {
    if (!watch.open()) GTEST_SKIP() << "userfaultfd: " << std::strerror(errno);
  }
  // News of what was at these addresses before may still be marked when the watching thread gets no turn (a sanitizer on a busy
  // machine); a watch that it spoils errs on the safe side, and is begun again.
  int number_of(const void* memory, std::size_t length = bytes) {
    constexpr int most_tries = 1000;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    int number = watch.watch(begin, begin + length);
    for (int tries = 1; tries < most_tries && number >= 0 && !watch.is_unchanged(number); ++tries) {
      watch.forget(number);
      std::this_thread::yield();
      number = watch.watch(begin, begin + length);
    }
    EXPECT_GE(number, 0);
    EXPECT_TRUE(watch.is_unchanged(number));
    return number;
  }
  // Memory of its own, watched, and what is done to it
  void expect_seen(const std::function<void(std::byte*)>& what) {
    std::byte* const memory = map();
    const int number = number_of(memory);
    const std::uint32_t before = watch.changes();
    what(memory);
    EXPECT_FALSE(watch.is_unchanged(number));
    EXPECT_NE(watch.changes(), before);
    watch.forget(number);
    EXPECT_EQ(::munmap(memory, bytes), 0);
  }

  MemoryWatch watch{8};
};

TEST_F(Watching, WhatLeavesThePagesIsNoChange) {
  std::byte* const memory = map();
  const int number = number_of(memory);
  std::memset(memory, 7, bytes);
  EXPECT_EQ(::mprotect(memory, bytes, PROT_READ), 0);
  EXPECT_EQ(::mprotect(memory, bytes, PROT_READ | PROT_WRITE), 0);
  std::byte* const other = map();
  EXPECT_EQ(::munmap(other, bytes), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    (void)::munmap(memory, bytes);       // its own copy; nobody tells, and nobody waits
    ::_exit(0);
  }
  int status = 1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(watch.is_unchanged(number));
  EXPECT_EQ(::munmap(memory, bytes), 0);
}

TEST_F(Watching, UnmappedAndMappedAnewIsSeen) {
  expect_seen([](std::byte* memory) {
    EXPECT_EQ(::munmap(memory, bytes), 0);
    EXPECT_EQ(map(memory, MAP_FIXED), memory);
  });
}
TEST_F(Watching, OnePageOfManyIsSeen) {
  expect_seen([](std::byte* memory) { EXPECT_EQ(::munmap(memory + 15 * page, page), 0); });
}
TEST_F(Watching, MappedOverIsSeen) { expect_seen([](std::byte* memory) { EXPECT_EQ(map(memory, MAP_FIXED), memory); }); }
TEST_F(Watching, DroppedPagesAreSeen) {
  expect_seen([](std::byte* memory) { EXPECT_EQ(::madvise(memory, bytes, MADV_DONTNEED), 0); });
  expect_seen([](std::byte* memory) { EXPECT_EQ(::madvise(memory + page, page, MADV_FREE), 0); });
}
TEST_F(Watching, MovedAwayIsSeen) {
  expect_seen([](std::byte* memory) {
    std::byte* const place = map();
    EXPECT_EQ(::mremap(memory, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place), place);
    EXPECT_EQ(map(memory, MAP_FIXED), memory);
    EXPECT_EQ(::munmap(place, bytes), 0);
  });
}
TEST_F(Watching, ShrunkAndGrownIsSeen) {
  expect_seen([](std::byte* memory) {
    EXPECT_EQ(::mremap(memory, bytes, page, 0), memory);
    EXPECT_EQ(map(memory, MAP_FIXED), memory);
  });
}
TEST_F(Watching, AMovedMappingIsMovedOver) {
  expect_seen([](std::byte* memory) {
    std::byte* const other = map();
    EXPECT_EQ(::mremap(other, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, memory), memory);
  });
}

TEST_F(Watching, AShrunkHeapIsSeen) {
  std::byte* const old = static_cast<std::byte*>(::sbrk(0));
  const auto begin = (reinterpret_cast<std::uintptr_t>(old) + page - 1) & ~(page - 1);
  ASSERT_EQ(::brk(reinterpret_cast<void*>(begin + bytes)), 0);
  std::memset(reinterpret_cast<void*>(begin), 1, bytes);
  const int number = number_of(reinterpret_cast<void*>(begin));
  ASSERT_EQ(::brk(old), 0);
  ASSERT_EQ(::brk(reinterpret_cast<void*>(begin + bytes)), 0);
  EXPECT_FALSE(watch.is_unchanged(number));
  ASSERT_EQ(::brk(old), 0);
}

TEST_F(Watching, FreedAndAllocatedAnewIsSeen) {
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(bytes));
  auto* const first = static_cast<std::byte*>(std::malloc(4 * bytes));
  std::memset(first, 1, 4 * bytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(first) & ~(page - 1);
  const int number = number_of(reinterpret_cast<void*>(begin), 4 * bytes);
  std::free(first);
  auto* const second = static_cast<std::byte*>(std::malloc(4 * bytes));
  if (second == first) { EXPECT_FALSE(watch.is_unchanged(number)); }
  std::free(second);
}

TEST_F(Watching, AWatchedMappingCanStillBeGrownAsAWhole) {
  std::byte* const memory = map();
  const int number = number_of(memory + 4 * page, 4 * page);
  void* const grown = ::mremap(memory, bytes, 4 * bytes, MREMAP_MAYMOVE);
  ASSERT_NE(grown, MAP_FAILED) << std::strerror(errno);
  if (grown != memory) { EXPECT_FALSE(watch.is_unchanged(number)); }
  EXPECT_EQ(::munmap(grown, 4 * bytes), 0);
}

TEST_F(Watching, OtherMemoryIsRefused) {
  void* const shared = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const auto at = reinterpret_cast<std::uintptr_t>(shared);
  const int number = watch.watch(at, at + bytes);
  if (number >= 0) {                     // newer kernels tell of it as well
    EXPECT_EQ(::munmap(shared, bytes), 0);
    EXPECT_FALSE(watch.is_unchanged(number));
  } else {
    EXPECT_EQ(::munmap(shared, bytes), 0);
  }
  EXPECT_EQ(watch.watch(at, at + bytes), -1);
}

// The unmapping call has not yet returned when another thread gets the same addresses: never are they taken for the old ones.
TEST_F(Watching, AChangeUnderWayIsSeenByWhoeverGetsTheAddresses) {
  std::atomic<std::byte*> handed{nullptr};
  constexpr int rounds = 500;
  std::thread changer([&] {
    for (int round = 0; round < rounds; ++round) {
      std::byte* memory = nullptr;
      while ((memory = handed.exchange(nullptr)) == nullptr) std::this_thread::yield();
      EXPECT_EQ(::munmap(memory, bytes), 0);
    }
  });
  std::byte* memory = map();
  int shown = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const int number = watch.watch(begin, begin + bytes);
    ASSERT_GE(number, 0);
    handed = memory;
    void* anew = MAP_FAILED;
    constexpr int patience = 1'000'000;    // then somebody else (a sanitizer) has got the addresses: a round that shows nothing
    for (int tries = 0; anew == MAP_FAILED && tries < patience; ++tries)
      anew = ::mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (anew != MAP_FAILED) {
      std::memset(anew, 2, bytes);
      EXPECT_FALSE(watch.is_unchanged(number)) << "round " << round;
      ++shown;
    } else {
      memory = map();
    }
    watch.forget(number);
  }
  changer.join();
  EXPECT_GT(shown, rounds / 2);
  EXPECT_EQ(::munmap(memory, bytes), 0);
}

TEST_F(Watching, NothingWaitsOnceTheWatchIsGone) {
  std::byte* const memory = map();
  {
    MemoryWatch brief(1);
    ASSERT_TRUE(brief.open());
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    EXPECT_EQ(brief.watch(begin, begin + bytes), 0);
    EXPECT_EQ(brief.watch(begin, begin + bytes), -1);
    if (::fork() == 0) {                 // outlives the watch
      ::sleep(1);
      ::_exit(0);
    }
  }
  EXPECT_EQ(::munmap(memory, bytes), 0);
  EXPECT_GT(::wait(nullptr), 0);
}

}  // namespace
}  // namespace weft::os
