// Making buffers, and handing them to the device.
#include "fabric/verbs/buffers.hpp"

namespace weft::fabric::verbs {

constexpr std::size_t page_step = 4096;

Done BufferPool::open(Memory& memory, std::uint32_t count, std::size_t bytes) {
  const Expected<Region> region = memory.allocate(count * bytes);
  if (!region) return region.failure();
  region_ = *region;
  bytes_ = bytes;
  users_.assign(count, 0);
  free_.reserve(count);
  for (std::uint32_t buffer = count; buffer-- > 0;) free_.push_back(buffer);
  return Nothing{};
}

Done ReceiveQueue::open(Memory& memory, std::uint32_t count, std::size_t bytes, std::uint64_t mark) {
  const Expected<Region> region = memory.allocate(count * bytes);
  if (!region) return region.failure();
  region_ = *region;
  bytes_ = bytes;
  mark_ = mark;
  arrived_.resize(count);
  // pinned pages are there, but perhaps not yet in this process's view (User Mode Linux): not the first messages should pay
  for (std::size_t at = 0; at < count * bytes; at += page_step) *const_cast<volatile std::byte*>(region_.address + at) = std::byte{0};
  return Nothing{};
}

Done ReceiveQueue::fill() {
  for (std::uint32_t buffer = 0; buffer < arrived_.size(); ++buffer) {
    spare_[spare_count_++] = buffer;
    if (spare_count_ < batch && buffer + 1 < arrived_.size()) continue;
    if (const int error = post_spare(); error != 0) return system_failure("posting receives", error);
  }
  return Nothing{};
}

int ReceiveQueue::post_spare() noexcept {
  ibv_recv_wr requests[batch];
  ibv_sge pieces[batch];
  for (std::uint32_t i = 0; i < spare_count_; ++i) {
    pieces[i] = {reinterpret_cast<std::uintptr_t>(at(spare_[i])), static_cast<std::uint32_t>(bytes_), region_.local_key};
    requests[i] = {std::uint64_t{spare_[i]} << mark_bits | mark_, i + 1 < spare_count_ ? &requests[i + 1] : nullptr, &pieces[i], 1};
  }
  spare_count_ = 0;
  ibv_recv_wr* bad = nullptr;
  return shared_ != nullptr ? ibv_post_srq_recv(shared_, requests, &bad) : ibv_post_recv(single_, requests, &bad);
}

void ReceiveQueue::push(Inbox& inbox, std::uint32_t buffer, std::uint32_t offset, std::uint32_t bytes) noexcept {
  arrived_[buffer] = {no_buffer, offset, bytes};
  if (inbox.first == no_buffer) inbox.first = buffer;
  else arrived_[inbox.last].next = buffer;
  inbox.last = buffer;
}

Message ReceiveQueue::pop(Inbox& inbox) noexcept {
  if (inbox.in_use != no_buffer) {
    give_back(inbox.in_use);
    inbox.in_use = no_buffer;
  }
  if (inbox.first == no_buffer) return {};
  const std::uint32_t buffer = inbox.first;
  const Arrived& arrived = arrived_[buffer];
  inbox.first = arrived.next;
  inbox.in_use = buffer;
  return {at(buffer) + arrived.offset, arrived.bytes};
}

}  // namespace weft::fabric::verbs
