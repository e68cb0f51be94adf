// What the peer asks of an endpoint, and its answers to what we asked: each frame is checked when its head is there, and
// served when its body is.
#include <algorithm>
#include <atomic>
#include <cstring>

#include <fmt/format.h>

#include "fabric/tcp/endpoint.hpp"
#include "fabric/tcp/port.hpp"

namespace weft::fabric::tcp {
namespace {

constexpr std::uint64_t least_part_bytes = 64 * 1024;

std::string outside(const char* what, const Frame& frame, std::uint64_t bytes, const Regions& regions) {
  const Regions::Entry* entry = regions.find(frame.key);
  if (entry == nullptr) return fmt::format("{} of {} bytes at {:#x}: no memory is open under key {:#x}", what, bytes, frame.address, frame.key);
  return fmt::format("{} of {} bytes at {:#x} is outside its region, {} bytes at {}", what, bytes, frame.address, entry->bytes,
                     static_cast<const void*>(entry->address));
}

constexpr std::size_t message_place(std::size_t bytes) noexcept { return sizeof(std::uint64_t) + ((bytes + 7) & ~std::size_t{7}); }

}  // namespace

std::byte* TcpEndpoint::refuse(std::string why) noexcept {
  Frame frame;
  frame.type = FrameType::complaint;
  frame.bytes = std::min(why.size(), sizeof complaint_ - 1);
  frames_->answer(frame, why.data());
  lose(fmt::format("the peer's request is refused: {}", why));
  return nullptr;
}

bool TcpEndpoint::is_asked(const Frame& frame) const noexcept {
  return asked_ && frame.token < most_asked && asked_[frame.token].operation != nullptr &&
         (asked_[frame.token].atomic != nullptr) == (frame.type == FrameType::atomic_reply);
}

std::byte* TcpEndpoint::begin(const Frame& frame) noexcept {
  static std::byte nothing;
  switch (frame.type) {
    case FrameType::write:
      if (std::byte* to = port_.regions().resolve(frame.key, frame.address, frame.bytes)) return to;
      return refuse(outside("a write", frame, frame.bytes, port_.regions()));
    case FrameType::read:
      if (port_.regions().resolve(frame.key, frame.address, frame.bytes) != nullptr) return &nothing;
      return refuse(outside("a read", frame, frame.bytes, port_.regions()));
    case FrameType::fetch_add:
    case FrameType::compare_swap:
      if (frame.address % sizeof(std::uint64_t) != 0) return refuse(fmt::format("an atomic at {:#x}, which is not aligned", frame.address));
      if (port_.regions().resolve(frame.key, frame.address, sizeof(std::uint64_t)) != nullptr) return &nothing;
      return refuse(outside("an atomic", frame, sizeof(std::uint64_t), port_.regions()));
    case FrameType::read_reply: {
      if (!is_asked(frame)) return refuse("an answer to nothing");
      const Asked& asked = asked_[frame.token];
      if (frame.bytes > asked.left || frame.address > asked.bytes || frame.bytes > asked.bytes - frame.address) return refuse("an answer of the wrong size");
      return frame.bytes == 0 ? &nothing : asked.to + frame.address;
    }
    case FrameType::atomic_reply: return is_asked(frame) ? &nothing : refuse("an answer to nothing");
    case FrameType::message:
      if (frame.bytes <= MessageBlock::largest_message) return begin_message(frame.bytes);
      return refuse(fmt::format("a message of {} bytes, {} are allowed", frame.bytes, MessageBlock::largest_message));
    case FrameType::complaint: return frame.bytes < sizeof complaint_ ? complaint_ : refuse("a complaint without end");
    case FrameType::ask_lane:
      return we_called_ && frame.token > 0 && frame.token < Lane::most ? &nothing : refuse("a lane that is not to be had");
    case FrameType::wake:
    case FrameType::goodbye: return &nothing;
  }
  return refuse("a frame of no known type");
}

void TcpEndpoint::finish(const Frame& frame, FrameLane& lane) noexcept {
  switch (frame.type) {
    case FrameType::write:
      if (frame.notify == Notify::immediate) ++immediates_;
      return;
    case FrameType::read: return serve_read(frame, lane);
    case FrameType::fetch_add:
    case FrameType::compare_swap: return serve_atomic(frame, lane);
    case FrameType::read_reply: return finish_part(frame);
    case FrameType::atomic_reply: return finish_atomic(frame);
    case FrameType::message: ++messages_waiting_; return;
    case FrameType::ask_lane: return want_lane(frame.token);
    case FrameType::complaint:
      return lose(fmt::format("it ended the connection over a request of ours: {}", std::string_view(reinterpret_cast<const char*>(complaint_), frame.bytes)));
    case FrameType::goodbye: left_ = true; return;
    case FrameType::wake: return;
  }
}

// Where there are extra lanes a large answer goes in parts over all of them.
void TcpEndpoint::serve_read(const Frame& frame, FrameLane& lane) noexcept {
  const std::byte* from = port_.regions().resolve(frame.key, frame.address, frame.bytes);
  const std::uint64_t lanes = extra_.size() + 1;
  const std::uint64_t part_bytes = lanes == 1 ? frame.bytes : std::max(least_part_bytes, (frame.bytes + lanes - 1) / lanes);
  std::uint64_t offset = 0;
  do {
    Frame part;
    part.type = FrameType::read_reply;
    part.token = frame.token;
    part.address = offset;
    part.bytes = std::min(part_bytes, frame.bytes - offset);
    FrameLane& out = offset == 0 ? lane : *extra_[reply_turn_++ % extra_.size()];
    (out.ended == 0 ? out : lane).answer(part, from + offset);
    offset += part.bytes;
  } while (offset < frame.bytes);
}

void TcpEndpoint::serve_atomic(const Frame& frame, FrameLane& lane) noexcept {
  std::byte* at = port_.regions().resolve(frame.key, frame.address, sizeof(std::uint64_t));
  const std::atomic_ref<std::uint64_t> word(*reinterpret_cast<std::uint64_t*>(at));
  Frame reply;
  reply.type = FrameType::atomic_reply;
  reply.token = frame.token;
  if (frame.type == FrameType::fetch_add) {
    reply.first = word.fetch_add(frame.first, std::memory_order_seq_cst);
  } else {
    reply.first = frame.first;
    (void)word.compare_exchange_strong(reply.first, frame.second, std::memory_order_seq_cst);
  }
  lane.answer(reply, nullptr);
}

void TcpEndpoint::finish_part(const Frame& frame) noexcept {
  Asked& asked = asked_[frame.token];
  asked.left -= frame.bytes;
  if (asked.left != 0) return;
  asked.operation->status = Status::ok;
  asked.operation->done = true;
  asked = {};
  --asked_count_;
}

void TcpEndpoint::finish_atomic(const Frame& frame) noexcept {
  Asked& asked = asked_[frame.token];
  asked.atomic->value = frame.first;
  asked.atomic->status = Status::ok;
  asked.atomic->done = true;
  asked = {};
  --asked_count_;
}

std::byte* TcpEndpoint::begin_message(std::uint64_t bytes) noexcept {
  const std::size_t place = message_place(bytes);
  if (last_block_ == nullptr || MessageBlock::room - last_block_->used < place) {
    MessageBlock* block = port_.blocks().take();
    block->used = block->taken = 0;
    block->next = nullptr;
    (first_block_ == nullptr ? first_block_ : last_block_->next) = block;
    last_block_ = block;
  }
  std::byte* at = last_block_->data + last_block_->used;
  std::memcpy(at, &bytes, sizeof bytes);
  last_block_->used += place;
  return at + sizeof bytes;
}

// Blocks whose messages have all been taken go back at the look after.
Message TcpEndpoint::poll_message() noexcept {
  while (first_block_ != nullptr && first_block_->taken == first_block_->used) {
    MessageBlock* block = first_block_;
    first_block_ = block->next;
    if (first_block_ == nullptr) last_block_ = nullptr;
    port_.blocks().give(block);
  }
  if (messages_waiting_ == 0) return {};
  --messages_waiting_;
  std::uint64_t bytes;
  const std::byte* at = first_block_->data + first_block_->taken;
  std::memcpy(&bytes, at, sizeof bytes);
  first_block_->taken += message_place(bytes);
  return {at + sizeof bytes, bytes};
}

}  // namespace weft::fabric::tcp
