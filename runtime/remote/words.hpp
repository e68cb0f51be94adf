// Words: 64-bit words that live in the memory of one rank of a communicator, the home, and that all its members change with
// atomic operations; what counters and locks are made of. Each word has a line of its own. Made and given back
// collectively. How a member gets there is chosen once, for all members together (way.hpp).
// Under the runtime lock; operations may wait (for an answer), and give the lock up meanwhile. An operation on mapped words
// is one instruction of the CPU and a look at whether anybody waits for the word.
// Waiting: a waiter sets its bit in the word's `wanted` before it looks at the value; who changes the value looks at
// `wanted` afterwards, takes the bits and rings. Both are full fences, so one sees the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "fabric/port.hpp"
#include "os/clock.hpp"
#include "os/expected.hpp"
#include "remote/way.hpp"

namespace weft::remote {

class Server;

enum class Verb : std::uint32_t { fetch_add, compare_swap };

class Words {
 public:
  struct Wish {
    comm::Communicator& communicator;
    int home;
    std::size_t count;
    std::uint64_t (*initial)(std::size_t index, std::uint64_t argument);
    std::uint64_t argument;
    std::uint64_t fingerprint;         // of the call's arguments, which must be the same on all ranks
  };
  // Both collective. A failure is the same on all ranks, and its note names the rank that had it.
  static Expected<std::unique_ptr<Words>> open(const Wish& wish);
  Status close();
  // At the end of the job, when no member will come back: without the others.
  ~Words();

  bool mapped() const noexcept { return base_ != nullptr; }
  Way way() const noexcept { return way_; }
  const char* fabric() const noexcept { return fabric_; }
  comm::Communicator& communicator() const noexcept { return *communicator_; }
  int home() const noexcept { return home_; }
  std::size_t count() const noexcept { return count_; }
  // All who change the words ring those who wait; else a waiter must look by itself.
  bool rings() const noexcept { return rings_; }

  // `before`: what stood there. Failures: the home is lost; why() says more.
  [[gnu::always_inline]] Status fetch_add(std::size_t index, std::uint64_t add, std::uint64_t& before) {
    if (base_ == nullptr) [[unlikely]] return ask(Verb::fetch_add, index, add, 0, before);
    Line& line = at(index);
    before = line.value.fetch_add(add);
    if (line.wanted.load() != 0) [[unlikely]] ring_all(line);
    return Status::ok;
  }
  [[gnu::always_inline]] Status compare_swap(std::size_t index, std::uint64_t expected, std::uint64_t desired, std::uint64_t& before) {
    if (base_ == nullptr) [[unlikely]] return ask(Verb::compare_swap, index, expected, desired, before);
    Line& line = at(index);
    before = expected;
    if (line.value.compare_exchange_strong(before, desired) && line.wanted.load() != 0) [[unlikely]] ring_all(line);
    return Status::ok;
  }
  [[gnu::always_inline]] Status read(std::size_t index, std::uint64_t& value) {
    if (base_ == nullptr) [[unlikely]] return ask(Verb::fetch_add, index, 0, 0, value);
    value = at(index).value.load();
    return Status::ok;
  }
  // Mapped words only: before a look at the value that may be the last one before a sleep.
  void want(std::size_t index) noexcept {
    Line& line = at(index);
    if ((line.wanted.load(std::memory_order_relaxed) & my_bit_) == 0) line.wanted.fetch_or(my_bit_);
  }
  void ring(int member) noexcept;      // ends its sleep, where rings()
  std::string why() const;             // an operation failed

 private:
  friend class Server;
  struct alignas(64) Line {
    std::atomic<std::uint64_t> value;
    std::atomic<std::uint64_t> wanted;   // bit rank % 64 of members that wait for it; mapped words only
  };
  static_assert(sizeof(Line) == 64 && std::atomic<std::uint64_t>::is_always_lock_free);

  struct Statement;
  struct Place;

  Words() = default;
  Line& at(std::size_t index) const noexcept { return reinterpret_cast<Line*>(base_)[index]; }
  void ring_all(Line& line) noexcept;
  Status ask(Verb verb, std::size_t index, std::uint64_t first, std::uint64_t second, std::uint64_t& before);
  Status ask_endpoint(Verb verb, std::size_t index, std::uint64_t first, std::uint64_t second, std::uint64_t& before);
  Status ask_server(Verb verb, std::size_t index, std::uint64_t first, std::uint64_t second, std::uint64_t& before);

  Expected<Place> settle(const Plan& plan, const std::vector<Reach>& members, const Wish& wish);   // at the home
  Done reserve(const Plan& plan, std::size_t bytes);
  Done approach(const Plan& plan, const Place& place, const Reach& mine);

  std::byte* base_ = nullptr;
  std::uint64_t my_bit_ = 0;
  comm::Communicator* communicator_ = nullptr;
  int home_ = 0;
  Way way_ = Way::memory;
  bool rings_ = true;
  std::size_t count_ = 0;
  const char* fabric_ = "self";
  fabric::Endpoint* endpoint_ = nullptr;
  fabric::Remote remote_{};
  std::uint64_t context_ = 0;          // of the messages of who is served
  int next_reply_ = 0;

  // At the home: whose the memory is.
  enum class Store : std::uint8_t { none, heap, node, port } store_ = Store::none;
  std::byte* memory_ = nullptr;
  std::uint64_t node_offset_ = 0;
  fabric::Port* port_ = nullptr;
  fabric::Region region_{};
  bool exposed_ = false;
  bool attended_ = false;
  std::unique_ptr<Server> server_;
};

}  // namespace weft::remote
