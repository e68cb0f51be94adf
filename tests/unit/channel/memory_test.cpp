// What a connected peer costs in links of the default shape: both ways, memory from the port and from the heap. A queue pair or
// a socket comes on top, so the bounds leave room for one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "channel/links.hpp"
#include "os/options.hpp"

namespace {
std::size_t heap_bytes = 0;            // asked for since the program began
}  // namespace

void* operator new(std::size_t bytes) {
  heap_bytes += bytes;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weft::channel {
namespace {

constexpr std::size_t kib = 1024;

class CountingPort final : public fabric::Port {
 public:
  explicit CountingPort(std::size_t copied_bytes) { caps_.max_inline_bytes = copied_bytes; }
  const char* name() const noexcept override { return "counting"; }
  const fabric::Caps& caps() const noexcept override { return caps_; }
  int poll_contact() noexcept override { return -1; }
  void prepare_sleep() noexcept override {}
  void cancel_sleep() noexcept override {}
  void sleep(std::int64_t) noexcept override {}
  void wake_self() noexcept override {}
  std::size_t max_message_bytes() const noexcept override { return 8 * kib; }
  Expected<fabric::Region> allocate(std::size_t bytes) override {
    allocated_bytes += bytes;
    fabric::Region region{};
    region.address = static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    owned_.emplace_back(region.address, std::free);
    std::fill_n(region.address, bytes, std::byte{0});
    return region;
  }

  std::size_t allocated_bytes = 0;

 private:
  fabric::Caps caps_{};
  std::vector<std::unique_ptr<std::byte, void (*)(void*)>> owned_;
};

std::size_t bytes_of(LinkType type, std::size_t copied_bytes) {
  CountingPort port(copied_bytes);
  const fabric::RingShape shape{static_cast<std::uint32_t>(os::option_number("remote-ring-slots")), static_cast<std::uint32_t>(os::option_number("remote-ring-bytes"))};
  const std::size_t before = heap_bytes;
  const auto sender = link_plan(type).make_sender(port, shape);
  const auto receiver = link_plan(type).make_receiver(port, shape);
  EXPECT_TRUE(sender);
  EXPECT_TRUE(receiver);
  return port.allocated_bytes + (heap_bytes - before);
}

// A queue pair of soft-RoCE takes 20 KiB, and the peer's own books take 3.
TEST(LinkMemory, APushPeerHasRoomForAQueuePairIn64KiB) { EXPECT_LE(bytes_of(LinkType::push, 128), 41 * kib); }

TEST(LinkMemory, WhereNothingIsCopiedAPushPeerKeepsItsSlots) { EXPECT_LE(bytes_of(LinkType::push, 0), 49 * kib); }

TEST(LinkMemory, APullPeerTakesLess) { EXPECT_LE(bytes_of(LinkType::pull, 128), 41 * kib); }

TEST(LinkMemory, AMessagePeerCostsNextToNothing) { EXPECT_LE(bytes_of(LinkType::message, 128), kib); }

}  // namespace
}  // namespace weft::channel
