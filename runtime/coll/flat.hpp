// Small collectives of one node through shared memory. The operations of a communicator are numbered; operation n uses
// buffer n % buffers, which holds a slot for each rank and one for the result. A slot carries the number of the operation
// whose data is in it, so nothing is ever cleared. A buffer is used again only when all ranks are done with its last
// operation: each rank says up to which number it is done, in a line of its own.
//
//   two ranks   each writes its own slot and awaits the other's
//   more        each writes its own slot and counts itself in; the last one to come combines all slots in the order of
//               ranks into the result and wakes the others (so who sleeps is woken once)
//   broadcast   the root writes the result
//   others      each writes its slot; when all have, each takes what it wants from the slots (flat_exchange.cpp)
//
// advance() is both post and poll, never waits, and serves blocking and non-blocking calls alike. Several operations may
// be under way. Results are combined in one fixed order, on one rank or by both of two alike: the same bits everywhere.
// Under the runtime lock; other processes touch only what is atomic here, and data that such a word has published.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "coll/call.hpp"

namespace weft::comm { class Communicator; }
namespace weft::fabric::shm { class ShmPort; }

namespace weft::coll {

// Without initial values: made on each small call. FlatRegion::take() and number() set what is read.
struct FlatOperation {
  Collective collective;
  bool posted;
  bool may_sleep;                     // who waits for it may sleep: ask to be woken when there is room
  int root;
  std::uint32_t kind;                 // collective and root in one word
  std::uint32_t bytes;
  std::uint64_t number;
  const void* send;                   // our contribution; unused by a broadcast
  void* receive;
  std::int64_t count;
  const data::Datatype* type;
  const data::Operation* operation;
  data::Kernel kernel;                // null: data::apply knows
  const Call* call;                   // of the less frequent collectives; it must live as long. Null: the fields say all
  Ending ending;
};

class FlatRegion {
 public:
  static constexpr int most_ranks = 64;
  static constexpr std::size_t most_slot_bytes = 4096;      // room in a rank's slot; less when there are many
  static constexpr std::size_t result_bytes = 8192;         // room in the result's
  static constexpr std::size_t combined_bytes = 32 << 10;   // that one rank may combine for all
  static constexpr std::size_t slot_bytes(std::size_t ranks) noexcept {
    return ranks * most_slot_bytes <= combined_bytes ? most_slot_bytes : combined_bytes / ranks & ~std::size_t{63};
  }

  // Collective, and waits for the lowest rank. Null where the ranks don't share a node, or memory is short.
  static FlatRegion* open(comm::Communicator& communicator);
  void close();                                              // deletes this

  std::int64_t slot_bytes() const noexcept { return slot_bytes_; }
  static bool suits(const Call& call, int rank, int ranks) noexcept;   // the same answer on all ranks
  void number(FlatOperation& operation, Collective collective, int root, std::int64_t bytes) noexcept {
    operation.collective = collective;
    operation.posted = operation.may_sleep = false;
    operation.root = root;
    operation.kind = static_cast<std::uint32_t>(collective) << 16 | static_cast<std::uint32_t>(root);
    operation.bytes = static_cast<std::uint32_t>(bytes);
    operation.number = ++numbered_;
    operation.call = nullptr;
    operation.ending = {};
  }
  void take(FlatOperation& operation, const Call& call) noexcept;   // numbers and fills it
  bool advance(FlatOperation& operation) noexcept;           // true: over
  bool run(FlatOperation& operation);                        // until it is over; true: it went well

 private:
  static constexpr std::uint64_t buffers = 4;                // at most 64: see finished_

  struct alignas(64) Slot {
    std::atomic<std::uint64_t> sequence;
    std::uint32_t kind;                                      // collective and root, to find calls that don't belong together
    std::uint32_t bytes;
    std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this) + 16; }
  };
  struct alignas(64) Head {
    std::atomic<std::uint64_t> rank_wants_room;              // a bit each
    std::atomic<std::uint32_t> ranks_gone;
    std::atomic<std::uint32_t> needs_fence;                  // a member can't fence the others (no membarrier)
  };
  struct alignas(64) Line {
    std::atomic<std::uint64_t> value;
  };

  FlatRegion() = default;
  static constexpr std::size_t result_stride = result_bytes + 64;          // the first line: sequence, kind, length
  static std::size_t slot_stride(std::size_t ranks) noexcept { return slot_bytes(ranks) + 64; }
  static std::size_t buffer_stride(std::size_t ranks) noexcept { return sizeof(Line) + result_stride + ranks * slot_stride(ranks); }
  static std::size_t region_bytes(std::size_t ranks) noexcept { return sizeof(Head) + ranks * sizeof(Line) + buffers * buffer_stride(ranks); }

  Head& head() const noexcept { return *reinterpret_cast<Head*>(base_); }
  Line& done_line(int rank) const noexcept { return reinterpret_cast<Line*>(base_ + sizeof(Head))[rank]; }
  std::byte* buffer(const FlatOperation& of) const noexcept { return buffers_[of.number % buffers]; }
  Line& arrivals(const FlatOperation& of) const noexcept { return *reinterpret_cast<Line*>(buffer(of)); }
  Slot& result(const FlatOperation& of) const noexcept { return *reinterpret_cast<Slot*>(buffer(of) + sizeof(Line)); }
  Slot& slot(const FlatOperation& of, int rank) const noexcept {
    return *reinterpret_cast<Slot*>(buffer(of) + sizeof(Line) + result_stride + static_cast<std::size_t>(rank) * slot_stride_);
  }

  bool room(const FlatOperation& operation) noexcept {
    return operation.number <= all_done_ + buffers || look_for_room(operation.number, operation.may_sleep);
  }
  bool look_for_room(std::uint64_t number, bool may_sleep) noexcept;
  bool post(FlatOperation& operation) noexcept;
  bool arrived(FlatOperation& operation) noexcept;
  void done_with(std::uint64_t number) noexcept {
    if (number == done_ + 1 && finished_ == 0) [[likely]] done_ = number;
    else done_out_of_order(number);
    my_done_line_->value.store(done_, std::memory_order_release);
    // a rank that asks for room fences us before it looks a last time, so that one of the two sees the other's word
    if (head().needs_fence.load(std::memory_order_relaxed) != 0) [[unlikely]] std::atomic_thread_fence(std::memory_order_seq_cst);
    if (head().rank_wants_room.load(std::memory_order_relaxed) != 0) [[unlikely]] tell_room();
  }
  void done_out_of_order(std::uint64_t number) noexcept;
  void tell_room() noexcept;
  bool step(FlatOperation& operation) noexcept;
  [[gnu::noinline]] void run_long(FlatOperation& operation);

  void fill(Slot& target, const FlatOperation& operation, const void* data) noexcept;
  void post_broadcast(FlatOperation& operation) noexcept;
  void post_gathered(FlatOperation& operation) noexcept;
  void combine_all(FlatOperation& operation) noexcept;
  bool take_broadcast(FlatOperation& operation) noexcept;
  bool take_pair(FlatOperation& operation) noexcept;
  bool take_gathered(FlatOperation& operation) noexcept;
  static std::int64_t given_bytes(const Call& call, int rank, int ranks) noexcept;
  void post_exchange(FlatOperation& operation) noexcept;
  void post_scatter(FlatOperation& operation) noexcept;
  bool exchanged(FlatOperation& operation) noexcept;
  bool fits(FlatOperation& operation, const Slot& from, std::int64_t expected) noexcept;
  void collect(FlatOperation& operation) noexcept;
  void fold_slots(FlatOperation& operation, int last, std::int64_t offset, std::int64_t count) noexcept;
  bool agrees(FlatOperation& operation, const Slot& with) noexcept;
  bool awaits_result(const FlatOperation& operation) const noexcept {
    return operation.collective != Collective::reduce || operation.root == rank_;
  }
  void notify(int rank) const noexcept;
  void notify_others() const noexcept;

  fabric::shm::ShmPort* port_ = nullptr;
  std::byte* base_ = nullptr;
  std::byte* buffers_[buffers] = {};
  Line* my_done_line_ = nullptr;
  std::int64_t slot_bytes_ = 0;
  std::size_t slot_stride_ = 0;
  int ranks_ = 0;
  int rank_ = 0;
  std::uint64_t numbered_ = 0;           // operations given a number
  std::uint64_t done_ = 0;               // all up to this one are over, here
  std::uint64_t finished_ = 0;           // bit i: number done_ + 1 + i is over too
  std::uint64_t all_done_ = 0;           // all up to this one are over on all ranks, as last seen
  bool wants_room_ = false;
  std::uint64_t offset_ = 0;
  std::vector<int> local_ranks_;
};

}  // namespace weft::coll
