// The verbs port: RDMA devices through libibverbs. See fabric/port.hpp for the contract. One device port and one completion
// queue a process; queue pairs to peers are made when an endpoint opens, and get to know each other over the side channel, or
// through the connection manager where the device wants that (iWARP).
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "fabric/fabrics.hpp"
#include "fabric/verbs/connection_manager.hpp"
#include "fabric/verbs/datagram.hpp"
#include "fabric/verbs/endpoint.hpp"

namespace weft::fabric::verbs {

class VerbsPort final : public Port {
 public:
  static Expected<std::unique_ptr<Port>> open(const Circumstances& circumstances);
  ~VerbsPort() override;

  const char* name() const noexcept override { return "verbs"; }
  const Caps& caps() const noexcept override { return caps_; }
  std::string card() const override { return to_text(common_.card); }
  bool reaches(std::string_view peer_card) const noexcept override;

  Expected<Region> allocate(std::size_t bytes) override { return common_.memory->allocate(bytes); }
  void free(const Region& region) noexcept override { common_.memory->free(region); }
  Status expose(void* address, std::size_t bytes, Region& region) noexcept override;
  void conceal(const Region& region) noexcept override { common_.memory->conceal(region); }

  Expected<Endpoint*> open(int world_rank, const std::string& peer_card, const Opening& ours) override;
  int poll_contact() noexcept override;
  bool poll() noexcept override;
  bool has_poll() const noexcept override { return true; }
  std::size_t max_message_bytes() const noexcept override { return max_message_bytes_; }

  void prepare_sleep() noexcept override;
  void cancel_sleep() noexcept override;
  void sleep(std::int64_t timeout_ns) noexcept override { common_.bell.sleep(timeout_ns); }
  int wait_fd() noexcept override { return common_.bell.fd(); }
  void wake_self() noexcept override { common_.bell.ring(); }
  bool crowded() noexcept override { return crowded_; }

 private:
  VerbsPort() = default;
  Done start(const Circumstances& circumstances, const Settings& settings);
  Done start_connected();
  Done start_datagrams();
  Done start_messages();
  Expected<Endpoint*> open_connected(int world_rank, const Card& peer, const Route& route, const Opening& ours);
  void receive(const ibv_wc& completion) noexcept;
  void receive_datagram(const ibv_wc& completion) noexcept;
  Expected<Endpoint*> open_managed(const Card& peer, const Opening& ours);
  ConnectedEndpoint* connected_to(std::uint32_t queue) noexcept;
  Expected<Endpoint*> open_datagram(int world_rank, const Route& route, const Opening& ours);
  void look_at_clock() noexcept;

  Caps caps_{};
  std::size_t max_message_bytes_ = 0;
  ConnectionManager manager_;                // iWARP only; owns the device's context then, and so goes last
  Common common_;
  Connected connected_;
  DatagramQueue datagrams_;
  SideChannel side_{datagrams_};
  DatagramEndpoints by_datagram_{datagrams_};
  std::vector<std::unique_ptr<ConnectedEndpoint>> endpoints_;
  std::unordered_map<std::uint32_t, ConnectedEndpoint*> by_queue_;
  ConnectedEndpoint* last_ = nullptr;        // whom the last receive was for
  std::uint32_t turns_ = 0;
  bool crowded_ = false;
};

}  // namespace weft::fabric::verbs
