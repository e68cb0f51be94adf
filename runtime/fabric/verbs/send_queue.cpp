// Posting and retiring.
#include "fabric/verbs/send_queue.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::fabric::verbs {
namespace {

const char* name_of(ibv_wr_opcode code) noexcept {
  switch (code) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM: return "write";
    case IBV_WR_RDMA_READ: return "read";
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
    case IBV_WR_ATOMIC_CMP_AND_SWP: return "atomic operation";
    default: return "send";
  }
}

void settle(const SendEntry& entry, Status status) noexcept {
  if (entry.operation != nullptr) {
    if (entry.is_atomic && status == Status::ok) std::memcpy(&static_cast<AtomicOperation*>(entry.operation)->value, entry.pool->at(entry.buffer), 8);
    entry.operation->status = status;
    entry.operation->done = true;
  }
  if (entry.pool != nullptr) entry.pool->give(entry.buffer);
}

}  // namespace

void SendQueue::open(ibv_qp* queue, std::uint32_t depth, Owner& owner) {
  queue_ = queue;
  owner_ = &owner;
  depth_ = depth;
  entries_.resize(std::bit_ceil(depth));
  mask_ = entries_.size() - 1;
  silent_limit_ = depth / 4;
}

bool SendQueue::hold(const ibv_send_wr& request) noexcept {
  constexpr std::uint32_t most_to_follow = 2;          // a write and what rings for it
  if (held_count_ == most_held || !has_room(1 + most_to_follow)) return false;
  held_[held_count_] = request;
  held_pieces_[held_count_] = *request.sg_list;
  held_[held_count_].sg_list = &held_pieces_[held_count_];
  ++held_count_;
  return true;
}

bool SendQueue::post(ibv_send_wr* first, std::uint32_t count, const SendEntry& owed) noexcept {
  for (; held_count_ != 0; ++count) {
    held_[--held_count_].next = first;
    first = &held_[held_count_];
  }
  ibv_send_wr* request = first;
  for (std::uint32_t i = 0; i < count; ++i, request = request->next) {
    SendEntry& fresh = entry(head_++);
    const bool last = i + 1 == count;
    fresh = last ? owed : SendEntry{};
    fresh.queue = this;
    request->wr_id = reinterpret_cast<std::uintptr_t>(&fresh);
    if ((last && (owed.operation != nullptr || owed.pool != nullptr)) || ++silent_ >= silent_limit_) {
      request->send_flags |= IBV_SEND_SIGNALED;
      fresh.is_due = true;
      silent_ = 0;
    }
  }
  ibv_send_wr* bad = nullptr;
  const int error = ibv_post_send(queue_, first, &bad);
  if (error == 0) [[likely]] return true;
  for (request = bad; request != nullptr; request = request->next) --head_;   // these are not out; the others will be flushed
  owner_->fail(name_of(first->opcode), std::strerror(error));
  return false;
}

void SendQueue::complete(const ibv_wc& completion) noexcept {
  auto* entry = reinterpret_cast<SendEntry*>(completion.wr_id);
  entry->queue->retire(*entry, completion.status);
}

bool SendQueue::is_awaited() const noexcept {
  for (std::uint64_t position = tail_; position != head_; ++position)
    if (const SendEntry& entry = entries_[position & mask_]; entry.is_due && entry.operation != nullptr) return true;
  return false;
}

void SendQueue::abandon() noexcept {
  for (; tail_ != head_; ++tail_)
    if (entry(tail_).is_due) settle(entry(tail_), Status::peer_lost);
  held_count_ = 0;
  depth_ = 0;
}

void SendQueue::retire(SendEntry& completed, ibv_wc_status status) noexcept {
  if (depth_ == 0) return;               // abandoned
  settle(completed, status == IBV_WC_SUCCESS ? Status::ok : Status::peer_lost);
  completed.is_due = false;
  const std::uint64_t ahead = (static_cast<std::uint64_t>(&completed - entries_.data()) - tail_) & mask_;
  completed_ = std::max(completed_, tail_ + ahead + 1);
  while (tail_ != completed_ && !entry(tail_).is_due) ++tail_;
  if (status != IBV_WC_SUCCESS) owner_->fail("work completion", ibv_wc_status_str(status));
}

}  // namespace weft::fabric::verbs
