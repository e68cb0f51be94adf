// Sequences, acknowledgements, repetitions.
#include "fabric/verbs/datagram.hpp"

#include <algorithm>
#include <cstring>

namespace weft::fabric::verbs {
namespace {

constexpr std::uint8_t flag_gap = 1;         // what came is not what was expected: send again from there
constexpr std::int64_t first_pause_ns = 20'000'000;
constexpr std::int64_t longest_pause_ns = 1'000'000'000;
constexpr const char* silent_words = "no acknowledgement from the peer within WEFT_VERBS_SILENCE seconds";

// Sequences wrap around.
bool is_before(std::uint32_t a, std::uint32_t b) noexcept { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace

void DatagramEndpoint::open_with(const Opening& theirs) noexcept {
  peer_opening_ = theirs;
  ready();
}

void DatagramEndpoint::ready() noexcept {
  if (state_ == State::opening) state_ = State::open;
}

void DatagramEndpoint::lose(const char* why) noexcept {
  loss_ = why;
  state_ = State::lost;
  for (; has_outstanding(); ++first_) queue_.buffers().give(kept(first_));
}

void DatagramEndpoint::become_active() {
  if (is_active_) return;
  is_active_ = true;
  active_.push_back(this);
}

Outcome DatagramEndpoint::post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept {
  if (state_ != State::open) [[unlikely]] return state_ == State::opening ? Outcome::again : Outcome::failed;
  const std::size_t bytes = head_bytes + payload_bytes;
  if (bytes == 0 || bytes > queue_.max_bytes()) return Outcome::failed;
  if (next_ - first_ == window) return Outcome::again;
  const std::uint32_t buffer = queue_.buffers().take();
  if (buffer == no_buffer) return Outcome::again;
  DatagramHead datagram = queue_.head_for(world_rank_, DatagramKind::data);
  datagram.sequence = next_;
  datagram.acknowledged = expected_ - 1;
  datagram.bytes = static_cast<std::uint32_t>(bytes);
  std::byte* at = queue_.buffers().at(buffer);
  std::memcpy(at, &datagram, sizeof datagram);
  std::memcpy(at + sizeof datagram, head, head_bytes);
  if (payload_bytes != 0) std::memcpy(at + sizeof datagram + head_bytes, payload, payload_bytes);
  if (!queue_.post(route_, buffer)) {
    queue_.buffers().give(buffer);
    if (queue_.failure() == nullptr) return Outcome::again;
    lose(queue_.failure());
    return Outcome::failed;
  }
  if (!has_outstanding()) {
    due_ns_ = 0;
    heard_ns_ = 0;
    pause_ns_ = first_pause_ns;
  }
  kept(next_++) = buffer;
  told_ = expected_ - 1;
  become_active();
  return Outcome::done;
}

void DatagramEndpoint::arrive(const DatagramHead& head, std::uint32_t buffer) noexcept {
  heard_ns_ = 0;
  take_acknowledgement(head);
  if (head.kind != DatagramKind::data || head.sequence != expected_) {
    const bool is_repeated = is_before(head.sequence, expected_);
    if (head.kind == DatagramKind::data && (is_repeated || gap_told_ != expected_)) {
      if (!is_repeated) gap_told_ = expected_;
      acknowledge(is_repeated ? 0 : flag_gap);
    }
    return queue_.receives().give_back(buffer);
  }
  ++expected_;
  queue_.receives().push(inbox_, buffer, DatagramQueue::head_offset, head.bytes);
  if (expected_ - 1 - told_ >= acknowledge_every) acknowledge(0);
  else become_active();
}

void DatagramEndpoint::take_acknowledgement(const DatagramHead& head) noexcept {
  const std::uint32_t before = first_;
  while (has_outstanding() && !is_before(head.acknowledged, first_)) queue_.buffers().give(kept(first_++));
  if (first_ != before) {
    due_ns_ = 0;
    pause_ns_ = first_pause_ns;
  }
  const bool told_of_gap = head.kind == DatagramKind::acknowledgement && (head.flags & flag_gap) != 0;
  if (!has_outstanding()) is_recovering_ = false;
  else if (told_of_gap || (is_recovering_ && first_ != before)) repeat(next_ - first_);
}

// An acknowledgement that can't leave now stays owed.
void DatagramEndpoint::acknowledge(std::uint8_t flags) noexcept {
  const std::uint32_t buffer = queue_.buffers().take();
  if (buffer == no_buffer) return become_active();
  DatagramHead datagram = queue_.head_for(world_rank_, DatagramKind::acknowledgement);
  datagram.acknowledged = expected_ - 1;
  datagram.flags = flags;
  std::memcpy(queue_.buffers().at(buffer), &datagram, sizeof datagram);
  if (queue_.post(route_, buffer)) told_ = expected_ - 1;
  else become_active();
  queue_.buffers().give(buffer);
}

void DatagramEndpoint::repeat(std::uint32_t count) noexcept {
  is_recovering_ = count < next_ - first_;
  due_ns_ = 0;
  for (std::uint32_t sequence = first_; sequence != first_ + count; ++sequence) {
    const std::uint32_t acknowledged = expected_ - 1;
    std::memcpy(queue_.buffers().at(kept(sequence)) + offsetof(DatagramHead, acknowledged), &acknowledged, sizeof acknowledged);
    if (!queue_.post(route_, kept(sequence))) return;
  }
  told_ = expected_ - 1;
}

bool DatagramEndpoint::tend(std::int64_t now_ns) noexcept {
  if (queue_.failure() != nullptr && state_ != State::lost) lose(queue_.failure());
  if (state_ == State::lost) return false;
  if (told_ != expected_ - 1) acknowledge(0);
  if (has_outstanding()) {
    if (heard_ns_ == 0) heard_ns_ = now_ns;
    if (now_ns - heard_ns_ > queue_.silence_ns()) {
      lose(silent_words);
      return false;
    }
    if (due_ns_ == 0) {
      due_ns_ = now_ns + pause_ns_;
    } else if (due_ns_ <= now_ns) {
      pause_ns_ = std::min(2 * pause_ns_, longest_pause_ns);
      repeat(1);
      due_ns_ = now_ns + pause_ns_;
    }
  }
  return has_outstanding() || told_ != expected_ - 1;
}

DatagramEndpoint& DatagramEndpoints::add(int world_rank, const Route& route) {
  std::unique_ptr<DatagramEndpoint>& endpoint = endpoints_[world_rank];
  endpoint = std::make_unique<DatagramEndpoint>(queue_, world_rank, route, active_);
  return *endpoint;
}

void DatagramEndpoints::handle(const DatagramHead& head, std::uint32_t buffer) noexcept {
  const auto found = endpoints_.find(head.from);
  if (found == endpoints_.end()) return queue_.receives().give_back(buffer);
  found->second->arrive(head, buffer);
}

void DatagramEndpoints::tend(std::int64_t now_ns) noexcept {
  for (std::size_t i = 0; i < active_.size();) {
    if (active_[i]->tend(now_ns)) {
      ++i;
      continue;
    }
    active_[i]->leave_active();
    active_[i] = active_.back();
    active_.pop_back();
  }
}

std::int64_t DatagramEndpoints::due_ns() const noexcept {
  std::int64_t due = INT64_MAX;
  for (const DatagramEndpoint* endpoint : active_) due = std::min(due, endpoint->due_ns());
  return due;
}

}  // namespace weft::fabric::verbs
