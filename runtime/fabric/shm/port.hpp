// The shared-memory port: the ranks of this node, reached through NodeMemory. See fabric/port.hpp for the contract.
#pragma once

#include <sys/uio.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabrics.hpp"
#include "fabric/shm/bell_socket.hpp"
#include "fabric/shm/doorbell.hpp"
#include "fabric/shm/endpoint.hpp"
#include "fabric/shm/hand_over.hpp"
#include "fabric/shm/node_memory.hpp"

namespace weft::fabric::shm {

// Where a push ring lies and how its reader is told; what links are compiled against.
struct PushTarget {
  Ring ring;
  RankPage* page = nullptr;       // the receiver's

  void publish(Slot& slot, std::uint64_t sequence) const noexcept {
    slot.sequence.store(sequence, std::memory_order_release);
    ring_doorbell(*page);
  }
};

// Our end of a ring that a peer writes; its page is rung when credit goes back, for it may be asleep waiting for some.
struct PushSource {
  Ring ring;
  RankPage* page = nullptr;

  void tell_credit() const noexcept { ring_doorbell(*page); }
};

class ShmPort final : public Port {
 public:
  // open() makes the giver on the node's first rank, whose card() names it; connect() then hands the one memory file over.
  static Expected<std::unique_ptr<Port>> open(const Circumstances& circumstances);

  const char* name() const noexcept override { return "shm"; }
  const Caps& caps() const noexcept override { return caps_; }
  std::string card() const override;
  Done connect(const std::string& first_card, os::Deadline deadline) override;
  bool knows(int world_rank) const noexcept override { return local_rank_of(world_rank) >= 0; }
  int poll_contact() noexcept override;
  void wake_self() noexcept override { wake(*page_); }
  Expected<Region> allocate(std::size_t bytes) override;
  void free(const Region& region) noexcept override;
  Expected<Endpoint*> open(int world_rank, const std::string& peer_card, const Opening& ours) override;
  bool poll() noexcept override;
  bool has_poll() const noexcept override { return !endpoints_.empty(); }
  std::size_t max_message_bytes() const noexcept override { return queue_message_bytes; }

  void prepare_sleep() noexcept override { sleep_word_ = shm::prepare_sleep(*page_, bell_.has_value()); }
  void cancel_sleep() noexcept override {
    shm::cancel_sleep(*page_);
    if (bell_) bell_->drain();
  }
  int wait_fd() noexcept override;     // from the first call on this rank sleeps by socket
  void sleep(std::int64_t timeout_ns) noexcept override { shm::sleep(*page_, sleep_word_, timeout_ns); }

  bool crowded() noexcept override;

  // Opens our ring towards a peer (pages, and its contact bit), and the view of its ring towards us.
  Expected<PushTarget> open_push(int world_rank);
  PushSource inbound(int world_rank) const noexcept;

  // Single copy from a peer's address space. can_read() probes at its first call for that peer.
  bool can_read(int world_rank) noexcept;
  Status read(int world_rank, std::uint64_t remote_address, const iovec* local, int runs) noexcept;

  NodeMemory& memory() noexcept { return *memory_; }
  int local_rank_of(int world_rank) const noexcept;
  void notify(int local_rank) const noexcept { ring_doorbell(memory_->page(local_rank)); }

 private:
  ShmPort() = default;
  Done adopt(NodeMemory memory);
  void make_contact(int local_rank) noexcept;

  enum class Proof : std::uint8_t { unknown, works, denied };

  Caps caps_{};
  std::vector<int> local_peers_;
  int local_rank_ = 0;
  RingShape shape_{};
  bool fenced_by_others_ = true;     // membarrier reaches us
  std::optional<Giver> giver_;
  std::optional<NodeMemory> memory_;
  QueueReader queue_;
  std::vector<std::unique_ptr<ShmEndpoint>> endpoints_;
  std::optional<BellSocket> bell_;
  RankPage* page_ = nullptr;
  std::uint32_t contacts_seen_ = 0;
  std::vector<std::uint64_t> contact_bits_seen_;
  std::uint32_t sleep_word_ = 0;
  enum class Crowd : std::uint8_t { unknown, no, yes } crowd_ = Crowd::unknown;
  std::vector<Proof> proofs_;
  std::uint64_t proof_word_ = 0;     // read by peers, to prove that they can
};

}  // namespace weft::fabric::shm
