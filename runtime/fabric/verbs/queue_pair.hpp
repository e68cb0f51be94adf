// A connected queue pair (RC or UC): made, granted, and brought through its states. Threads: one at a time.
#pragma once

#include "fabric/verbs/common.hpp"
#include "fabric/verbs/handle.hpp"

namespace weft::fabric::verbs {

struct Granted {
  std::uint32_t depth = 0;
  std::uint32_t inline_bytes = 0;
  bool in_order = false;               // bytes of one write land in order
};

class QueuePair {
 public:
  static Expected<QueuePair> create(const Common& common, ibv_srq* receives);

  ibv_qp* get() const noexcept { return queue_.get(); }
  std::uint32_t number() const noexcept { return queue_->qp_num; }
  const Granted& granted() const noexcept { return granted_; }
  // What the device takes without more words; tells its errno.
  int connect(const Common& common, const Card& peer, std::uint32_t peer_number) noexcept;

 private:
  Handle<ibv_qp, ibv_destroy_qp> queue_;
  Granted granted_{};
};

// What send queues ask for, connected or not.
ibv_qp_cap send_capabilities(const Settings& settings) noexcept;
// The way to a peer, for queue pairs and address handles.
ibv_ah_attr route_to(const Device& device, const Card& peer) noexcept;

}  // namespace weft::fabric::verbs
