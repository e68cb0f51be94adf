// chaos: wraps a port and does whatever the contract of Endpoint allows and no real fabric does in a test: the bytes of a write
// land in any order over many turns, reads come in pieces (torn), completions, sends and contacts are late, posts are put off,
// streams take and give a few bytes at a time, links are cut when asked. What the contract promises it keeps: writes and sends
// in order, reads after the writes before them, nobody woken before there is something to see. All from a seed.
// For tests and WEFT_CHAOS_SEED; it allocates as it likes. Threads: as its port.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fabric/chaos/endpoint.hpp"
#include "fabric/port.hpp"

namespace weft::fabric::chaos {

class ChaosPort final : public Port {
 public:
  ChaosPort(std::unique_ptr<Port> inner, std::uint64_t seed);

  const char* name() const noexcept override { return name_.c_str(); }
  const Caps& caps() const noexcept override { return caps_; }
  std::string card() const override { return inner_->card(); }
  Done connect(const std::string& first_card, os::Deadline deadline) override { return inner_->connect(first_card, deadline); }
  bool knows(int world_rank) const noexcept override { return inner_->knows(world_rank); }
  bool reaches(std::string_view peer_card) const noexcept override { return inner_->reaches(peer_card); }

  Expected<Region> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  void free(const Region& region) noexcept override { inner_->free(region); }
  Status expose(void* address, std::size_t bytes, Region& region) noexcept override { return inner_->expose(address, bytes, region); }
  void conceal(const Region& region) noexcept override { inner_->conceal(region); }

  Expected<Endpoint*> open(int world_rank, const std::string& peer_card, const Opening& ours) override;
  int poll_contact() noexcept override { return random_() % 2 == 0 ? -1 : inner_->poll_contact(); }
  bool poll() noexcept override;
  bool has_poll() const noexcept override { return true; }
  std::size_t max_message_bytes() const noexcept override { return inner_->max_message_bytes(); }

  void prepare_sleep() noexcept override { inner_->prepare_sleep(); }
  void cancel_sleep() noexcept override { inner_->cancel_sleep(); }
  void sleep(std::int64_t timeout_ns) noexcept override;
  void wake_self() noexcept override { inner_->wake_self(); }
  bool crowded() noexcept override { return inner_->crowded(); }

  // Every endpoint of this side, from now on: lost.
  void cut() noexcept;

 private:
  std::unique_ptr<Port> inner_;
  std::string name_;
  Caps caps_;
  Random random_;
  std::vector<std::unique_ptr<ChaosEndpoint>> endpoints_;
};

}  // namespace weft::fabric::chaos
