// The wrapped port.
#include "fabric/chaos/port.hpp"

#include <algorithm>

namespace weft::fabric::chaos {

ChaosPort::ChaosPort(std::unique_ptr<Port> inner, std::uint64_t seed)
    : inner_(std::move(inner)), name_(std::string("chaos-") + inner_->name()), caps_(inner_->caps()), random_(seed) {
  caps_.in_order_placement = false;
  caps_.max_inline_bytes = std::min(caps_.max_inline_bytes, copied_bytes);
  // half of the seeds have no notices, so that links prove arrival by a second write
  if (seed % 2 != 0) caps_.operations &= ~static_cast<std::uint32_t>(op_write_immediate);
}

Expected<Endpoint*> ChaosPort::open(int world_rank, const std::string& peer_card, const Opening& ours) {
  const Expected<Endpoint*> inner = inner_->open(world_rank, peer_card, ours);
  if (!inner) return inner.failure();
  endpoints_.push_back(std::make_unique<ChaosEndpoint>(**inner, caps_, random_));
  return endpoints_.back().get();
}

bool ChaosPort::poll() noexcept {
  bool moved = inner_->poll();
  for (const auto& endpoint : endpoints_) moved |= endpoint->step();
  return moved;
}

// What is held back here moves in poll() only.
void ChaosPort::sleep(std::int64_t timeout_ns) noexcept {
  const bool busy = std::any_of(endpoints_.begin(), endpoints_.end(), [](const auto& endpoint) { return endpoint->is_busy(); });
  if (busy) inner_->cancel_sleep();
  else inner_->sleep(timeout_ns);
}

void ChaosPort::cut() noexcept {
  for (const auto& endpoint : endpoints_) endpoint->cut();
}

}  // namespace weft::fabric::chaos
