// Making, growing and draining the completion queue.
#include "fabric/verbs/completion.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace weft::fabric::verbs {
namespace {

constexpr std::uint32_t first_capacity = 2048;

}  // namespace

Completions::~Completions() {
  if (queue_ != nullptr) drain();      // unacknowledged events would keep the queue from going
}

Done Completions::open(const Device& device) {
  channel_.reset(ibv_create_comp_channel(device.context));
  if (channel_ == nullptr) return system_failure(fmt::format("completion channel of {}", device.name), errno);
  (void)::fcntl(channel_->fd, F_SETFL, ::fcntl(channel_->fd, F_GETFL) | O_NONBLOCK);
  most_ = static_cast<std::uint32_t>(device.limits.max_cqe);
  capacity_ = std::min(first_capacity, most_);
  queue_.reset(ibv_create_cq(device.context, static_cast<int>(capacity_), nullptr, channel_.get(), 0));
  if (queue_ == nullptr) return system_failure(fmt::format("completion queue of {}", device.name), errno);
  return Nothing{};
}

Done Completions::reserve(std::uint32_t entries) {
  const std::uint32_t wanted = reserved_ + entries;
  if (wanted > capacity_) {
    const std::uint32_t larger = std::min(std::max(wanted, 2 * capacity_), most_);
    if (wanted > larger) return Failure{Status::no_memory, fmt::format("{} completions may be outstanding, the device holds {}", wanted, most_)};
    if (const int error = ibv_resize_cq(queue_.get(), static_cast<int>(larger)); error != 0)
      return system_failure(fmt::format("a completion queue of {} entries", larger), error);
    capacity_ = larger;
  }
  reserved_ = wanted;
  return Nothing{};
}

void Completions::drain() noexcept {
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  unsigned count = 0;
  while (ibv_get_cq_event(channel_.get(), &queue, &context) == 0) ++count;
  if (count != 0) ibv_ack_cq_events(queue_.get(), count);
}

}  // namespace weft::fabric::verbs
