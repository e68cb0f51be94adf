// Registrations of the program's memory over a verbs device: what the program does to memory between two transfers is seen in
// the second, whether or not registrations are kept.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "os/memory_watch.hpp"
#include "verbs_ports.hpp"

namespace weft::fabric {
namespace {

class VerbsMemory : public Verbs {
 protected:
  static constexpr std::size_t bytes = 16 * 4096;
  void SetUp() override {
    Verbs::SetUp();
    if (!IsSkipped() && !ports[0]->caps().has(op_read)) GTEST_SKIP();
  }
  // The peer reads what the memory holds; what it was registered as.
  std::uint32_t check_read(std::byte* memory, int value) {
    std::memset(memory, value, bytes);
    Region there{};
    EXPECT_EQ(ports[1]->expose(memory, bytes, there), Status::ok);
    const Region here = allocate(0, bytes);
    Operation operation{false, Status::ok};
    post([&] { return ends[0]->post_read(here.local(), there.remote, bytes, operation); });
    EXPECT_TRUE(until([&] { return operation.done; }));
    EXPECT_EQ(std::memcmp(here.address, memory, bytes), 0) << "old pages, value " << value;
    ports[1]->conceal(there);
    ports[0]->free(here);
    return there.remote.key;
  }
  void check(const std::function<std::byte*(std::byte*)>& what) {
    connect();
    std::byte* memory = map(nullptr);
    for (int round = 0; round < 4; ++round) {
      (void)check_read(memory, 2 * round + 1);
      memory = what(memory);
      (void)check_read(memory, 2 * round + 2);
    }
    EXPECT_EQ(::munmap(memory, bytes), 0);
  }
  static std::byte* map(std::byte* at) {
    void* const memory = ::mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at != nullptr ? MAP_FIXED : 0), -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    return static_cast<std::byte*>(memory);
  }
};

TEST_F(VerbsMemory, UnmappedAndMappedAnew) {
  check([](std::byte* memory) { return ::munmap(memory, bytes), map(memory); });
}
TEST_F(VerbsMemory, MappedOver) { check([](std::byte* memory) { return map(memory); }); }
TEST_F(VerbsMemory, PagesDropped) {
  check([](std::byte* memory) { return ::madvise(memory, bytes, MADV_DONTNEED), memory; });
}
TEST_F(VerbsMemory, AnotherMappingMovedThere) {
  check([](std::byte* memory) { return static_cast<std::byte*>(::mremap(map(nullptr), bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, memory)); });
}
TEST_F(VerbsMemory, MovedAwayAndMappedAnew) {
  check([](std::byte* memory) {
    std::byte* const place = map(nullptr);
    (void)::mremap(memory, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    ::munmap(place, bytes);
    return map(memory);
  });
}
TEST_F(VerbsMemory, HeapShrunkAndGrown) {
  connect();
  auto* const old = static_cast<std::byte*>(::sbrk(0));
  auto* const memory = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(old) + 4095) & ~std::uintptr_t{4095});
  for (int round = 1; round < 5; ++round) {
    ASSERT_EQ(::brk(memory + bytes), 0);
    (void)check_read(memory, round);
    if (::sbrk(0) != memory + bytes) return;       // the allocator has taken more
    ASSERT_EQ(::brk(old), 0);
  }
}
TEST_F(VerbsMemory, AForkBetween) {
  check([](std::byte* memory) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::usleep(200'000);
      ::_exit(0);
    }
    EXPECT_GT(child, 0);
    return memory;
  });
  while (::waitpid(-1, nullptr, 0) > 0) {}
}

// Part of what one transfer registered changes while another, of another part, goes on.
TEST_F(VerbsMemory, ChangedBesideATransfer) {
  connect();
  std::byte* const memory = map(nullptr);
  Region whole{};
  Region part{};
  std::memset(memory, 1, bytes);
  ASSERT_EQ(ports[1]->expose(memory, bytes, whole), Status::ok);
  ASSERT_EQ(ports[1]->expose(memory, 4096, part), Status::ok);
  ports[1]->conceal(whole);
  (void)::madvise(memory + 8 * 4096, 8 * 4096, MADV_DONTNEED);
  (void)check_read(memory, 2);
  ports[1]->conceal(part);
  EXPECT_EQ(::munmap(memory, bytes), 0);
}

TEST_F(VerbsMemory, StaysRegisteredWhereTheKernelTellsOfChanges) {
  {
    os::MemoryWatch watch(1);
    if (!watch.open()) GTEST_SKIP() << "userfaultfd: " << std::strerror(errno);
  }
  connect();
  std::byte* const memory = map(nullptr);
  std::byte* const other = map(nullptr);
  const std::uint32_t first = check_read(memory, 1);
  EXPECT_NE(check_read(other, 2), first);
  EXPECT_EQ(check_read(memory, 3), first);
  for (int i = 0; i < 4; ++i) {            // more than WEFT_VERBS_CACHE_ENTRIES, so that the oldest go
    std::byte* const more = map(nullptr);
    (void)check_read(more, i);
    ::munmap(more, bytes);
  }
  EXPECT_EQ(check_read(memory, 4), first);
  std::byte* kept[4];
  for (std::byte*& more : kept) (void)check_read(more = map(nullptr), 5);
  EXPECT_NE(check_read(memory, 6), first);
  for (std::byte* more : kept) ::munmap(more, bytes);
  ::munmap(memory, bytes);
  ::munmap(other, bytes);
}

}  // namespace
}  // namespace weft::fabric
