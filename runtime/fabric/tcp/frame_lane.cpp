// Frames onto a socket and off it. What the socket does not take waits in a queue of pooled entries; what comes is copied out
// of a scratch buffer of the port's, or, where much of a body is still to come, received into its place.
#include <algorithm>
#include <cstring>

#include "fabric/tcp/endpoint.hpp"
#include "fabric/tcp/port.hpp"

namespace weft::fabric::tcp {
namespace {

constexpr std::size_t gather_bytes = 512;     // so much goes out as one piece: cheaper than telling the kernel of several
constexpr int frames_a_flush = 8;
constexpr int looks_a_turn = 8;

}  // namespace

Outgoing* FrameLane::append(const Frame& frame, const std::byte* body, std::uint64_t gone, Operation* operation) noexcept {
  Outgoing* entry = endpoint.port().outgoing().take();
  entry->frame = frame;
  entry->body = body;
  entry->left_head = gone < sizeof frame ? sizeof frame - gone : 0;
  entry->left_body = frame.body_bytes() - (gone > sizeof frame ? gone - sizeof frame : 0);
  entry->operation = operation;
  entry->owned = nullptr;
  entry->next = nullptr;
  if (frame.body_bytes() <= Outgoing::inline_bytes && frame.body_bytes() != 0) {
    std::memcpy(entry->copy, body, frame.body_bytes());
    entry->body = entry->copy;
  }
  (head_ == nullptr ? head_ : tail_->next) = entry;
  tail_ = entry;
  ++queued_;
  if (!blocked) endpoint.port().add_blocked(*this);
  return entry;
}

Outcome FrameLane::post(const Frame& frame, const void* body, Operation* operation) noexcept {
  if (ended != 0) return Outcome::again;
  const std::uint64_t bytes = frame.body_bytes();
  const auto* from = static_cast<const std::byte*>(body);
  if (head_ != nullptr) {
    if (queued_ >= most_queued) return Outcome::again;
    append(frame, from, 0, bytes > Outgoing::inline_bytes ? operation : nullptr);
    return bytes > Outgoing::inline_bytes ? Outcome::posted : Outcome::done;
  }
  os::Moved gone;
  if (sizeof frame + bytes <= gather_bytes) {
    std::byte whole[gather_bytes];
    std::memcpy(whole, &frame, sizeof frame);
    if (bytes != 0) std::memcpy(whole + sizeof frame, from, bytes);
    gone = os::send_now(socket.get(), whole, sizeof frame + bytes);
  } else {
    const iovec pieces[] = {{const_cast<Frame*>(&frame), sizeof frame}, {const_cast<std::byte*>(from), bytes}};
    gone = os::send_pieces_now(socket.get(), pieces, 2);
  }
  if (gone < 0) {
    endpoint.lane_ended(*this, static_cast<int>(-gone));
    return Outcome::again;
  }
  if (static_cast<std::uint64_t>(gone) == sizeof frame + bytes) return Outcome::done;
  append(frame, from, static_cast<std::uint64_t>(gone), bytes > Outgoing::inline_bytes ? operation : nullptr);
  return bytes > Outgoing::inline_bytes ? Outcome::posted : Outcome::done;
}

void FrameLane::answer(const Frame& frame, const void* body) noexcept {
  if (queued_ >= most_answers) return endpoint.lose("it asked for more at a time than it may");
  if (head_ == nullptr) (void)post(frame, body, nullptr);
  else append(frame, static_cast<const std::byte*>(body), 0, nullptr);
}

Outcome FrameLane::post_copied(const Frame& frame, const iovec* pieces, int count) noexcept {
  const auto gather = [&](std::byte* into) {
    for (int i = 0; i < count; ++i) {
      if (pieces[i].iov_len != 0) std::memcpy(into, pieces[i].iov_base, pieces[i].iov_len);
      into += pieces[i].iov_len;
    }
  };
  if (frame.bytes <= Outgoing::inline_bytes) {
    std::byte whole[Outgoing::inline_bytes];
    gather(whole);
    return post(frame, whole, nullptr);
  }
  if (head_ != nullptr || ended != 0) return Outcome::again;
  iovec all[4] = {{const_cast<Frame*>(&frame), sizeof frame}, {}, {}, {}};
  std::copy_n(pieces, count, all + 1);
  const os::Moved gone = os::send_pieces_now(socket.get(), all, count + 1);
  if (gone < 0) {
    endpoint.lane_ended(*this, static_cast<int>(-gone));
    return Outcome::again;
  }
  if (gone == 0) return Outcome::again;
  if (static_cast<std::uint64_t>(gone) == sizeof frame + frame.bytes) return Outcome::done;
  MessageBlock* block = endpoint.port().blocks().take();
  gather(block->data);
  append(frame, block->data, static_cast<std::uint64_t>(gone), nullptr)->owned = block;
  return Outcome::done;
}

void FrameLane::pop(Status status) noexcept {
  Outgoing* entry = head_;
  head_ = entry->next;
  --queued_;
  if (entry->operation != nullptr) {
    entry->operation->status = status;
    entry->operation->done = true;
  }
  if (entry->owned != nullptr) endpoint.port().blocks().give(entry->owned);
  endpoint.port().outgoing().give(entry);
}

void FrameLane::drop_queue() noexcept {
  while (head_ != nullptr) pop(Status::peer_lost);
}

bool FrameLane::flush() noexcept {
  bool moved = false;
  while (head_ != nullptr && ended == 0) {
    iovec pieces[2 * frames_a_flush];
    int count = 0;
    std::uint64_t asked = 0;
    for (Outgoing* entry = head_; entry != nullptr && count + 2 <= 2 * frames_a_flush; entry = entry->next) {
      if (entry->left_head != 0) pieces[count++] = {reinterpret_cast<std::byte*>(&entry->frame + 1) - entry->left_head, entry->left_head};
      if (entry->left_body != 0)
        pieces[count++] = {const_cast<std::byte*>(entry->body + (entry->frame.body_bytes() - entry->left_body)), entry->left_body};
      asked += entry->left_head + entry->left_body;
    }
    const os::Moved gone = os::send_pieces_now(socket.get(), pieces, count);
    if (gone < 0) {
      endpoint.lane_ended(*this, static_cast<int>(-gone));
      return true;
    }
    moved |= gone != 0;
    for (std::uint64_t left = static_cast<std::uint64_t>(gone); head_ != nullptr;) {
      const std::uint64_t of_head = std::min(left, head_->left_head);
      head_->left_head -= of_head;
      const std::uint64_t of_body = std::min(left - of_head, head_->left_body);
      head_->left_body -= of_body;
      left -= of_head + of_body;
      if (head_->left_head + head_->left_body != 0) break;
      pop(Status::ok);
    }
    if (static_cast<std::uint64_t>(gone) < asked) break;
  }
  return moved;
}

bool FrameLane::receive() noexcept {
  bool moved = false;
  for (int look = 0; look < looks_a_turn && ended == 0 && endpoint.may_receive(); ++look) {
    const bool direct = in_left_ >= direct_bytes;
    std::byte* into = direct ? in_place_ : endpoint.port().scratch().data();
    const std::size_t room = direct ? in_left_ : endpoint.port().scratch().size();
    const os::Moved came = os::receive_now(socket.get(), into, room);
    if (came == 0) break;
    moved = true;
    if (came < 0) {
      endpoint.lane_ended(*this, static_cast<int>(-came));
      break;
    }
    if (direct) body_came(static_cast<std::uint64_t>(came));
    else consume(into, static_cast<std::size_t>(came));
    if (static_cast<std::size_t>(came) < room) break;
  }
  return moved;
}

void FrameLane::consume(const std::byte* from, std::size_t bytes) noexcept {
  while (bytes != 0 && endpoint.state() == Endpoint::State::open) {
    if (in_left_ != 0) {
      const std::size_t part = std::min<std::size_t>(bytes, in_left_);
      std::memcpy(in_place_, from, part);
      from += part;
      bytes -= part;
      body_came(part);
      continue;
    }
    const std::size_t part = std::min(bytes, sizeof in_ - in_head_bytes_);
    std::memcpy(reinterpret_cast<std::byte*>(&in_) + in_head_bytes_, from, part);
    in_head_bytes_ += part;
    from += part;
    bytes -= part;
    if (in_head_bytes_ == sizeof in_) open_frame();
  }
}

void FrameLane::open_frame() noexcept {
  in_head_bytes_ = 0;
  in_place_ = endpoint.begin(in_);
  if (in_place_ == nullptr) return;      // nonsense: the endpoint is lost
  in_left_ = in_.body_bytes();
  if (in_left_ == 0) endpoint.finish(in_, *this);
}

void FrameLane::body_came(std::uint64_t bytes) noexcept {
  in_place_ += bytes;
  in_left_ -= bytes;
  if (in_left_ == 0) endpoint.finish(in_, *this);
}

}  // namespace weft::fabric::tcp
