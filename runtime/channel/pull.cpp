// Publishing, and the receiver's steps.
#include "channel/pull.hpp"

#include <algorithm>
#include <atomic>

#include "os/clock.hpp"

namespace weft::channel {
namespace {

constexpr std::uint32_t eager_reads = 16;              // empty READs that are repeated at once
constexpr std::int64_t first_pause_ns = 500;
constexpr std::int64_t longest_pause_ns = 50'000;

}  // namespace

Expected<std::unique_ptr<SendLink>> PullSender::make(fabric::Port& port, fabric::RingShape shape) {
  const Expected<fabric::Region> region = port.allocate(shape.bytes());
  if (!region) return region.failure();
  return std::unique_ptr<SendLink>(new PullSender(*region, shape));
}

// Needs no word from the peer, so that it may go on while the endpoint opens.
Outcome PullSender::post(Envelope envelope, Content content, const void* payload) noexcept {
  if (binding_.is_lost()) [[unlikely]] return Outcome::failed;
  const std::size_t length = content.length();
  const bool is_long = length > fabric::slot_inline_bytes;
  const std::uint64_t place = is_long ? own_.ring().place(payload_position_, length) : 0;
  const std::uint64_t after = is_long ? fabric::Ring::after(place, length) : payload_position_;
  if (!own_.has_credit(position_, after)) return Outcome::again;
  RemoteSlot slot{};
  if (is_long) std::memcpy(own_.ring().payload(place), payload, length);
  else copy_few(slot.payload, payload, length);
  slot.header = {envelope, content};
  slot.proof = seal(position_ + 1, slot);
  fabric::copy_out(reinterpret_cast<std::byte*>(&own_.slot(position_)), reinterpret_cast<const std::byte*>(&slot), sizeof slot);
  ++position_;
  payload_position_ = after;
  answer_bell();
  return Outcome::done;
}

// Called after a publication. The receiver has told its wish and then READ: if that READ came before the publication, the wish
// is here by now.
void PullSender::answer_bell() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::uint64_t bell = own_.bell();
  if (bell == bell_) return;
  owes_bell_ = binding_.endpoint().state() == fabric::Endpoint::State::opening;
  if (owes_bell_) return;
  bell_ = bell;
  binding_.endpoint().wake();
}

bool PullSender::poll() noexcept {
  if (owes_bell_) [[unlikely]] answer_bell();
  return false;
}

Expected<std::unique_ptr<ReceiveLink>> PullReceiver::make(fabric::Port& port, fabric::RingShape shape) {
  const Expected<fabric::Region> region = port.allocate(payload_offset + longest_payload(shape.payload));
  if (!region) return region.failure();
  return std::unique_ptr<ReceiveLink>(new PullReceiver(*region, shape, port.caps().wait_handle));
}

PullReceiver::PullReceiver(fabric::Region region, fabric::RingShape shape, bool can_be_woken) noexcept
    : shape_(shape), region_(region), places_(nullptr, shape), can_be_woken_(can_be_woken), return_(region.local()) {}

Arrival PullReceiver::poll() noexcept {
  if (!binding_.is_open(shape_)) [[unlikely]] return {nullptr, nullptr};
  found_ = {nullptr, nullptr};
  looked_ = false;
  const bool quarter = position_ - return_.credit.slots >= shape_.slots / 4 || payload_position_ - return_.credit.payload >= shape_.payload / 4;
  if (quarter) [[unlikely]] give_back();
  while (advance()) {}
  if (found_) {
    empty_reads_ = 0;
    next_read_ns_ = 0;
    bell_told_ = false;
    return found_;
  }
  const bool takes_payload = step_ == Step::wants_payload || step_ == Step::reading_payload;
  if (!takes_payload && payload_is_short(places_, payload_position_, return_.credit.payload)) [[unlikely]] give_back();
  if (return_.due) [[unlikely]] tell();
  return {nullptr, nullptr};
}

bool PullReceiver::advance() noexcept {
  switch (step_) {
    case Step::idle: return may_read() && read_slots();
    case Step::reading:
      looked_ = read_knows_bell_;
      if (!read_.done) return false;
      step_ = read_.status == Status::ok ? Step::sorting : Step::idle;
      return read_.status == Status::ok;
    case Step::sorting: return sort_slots();
    case Step::wants_payload: return read_payload();
    case Step::reading_payload: {
      if (!read_.done) return false;
      step_ = read_.status == Status::ok ? Step::sorting : Step::wants_payload;
      if (read_.status != Status::ok) return false;
      const RemoteSlot& slot = landed(next_++);
      const std::uint32_t length = slot.header.content.length();
      payload_position_ = fabric::Ring::after(places_.place(payload_position_, length), length);
      ++position_;
      found_ = {&slot.header, payload()};
      return false;
    }
  }
  return false;
}

bool PullReceiver::post_read(std::size_t landing_offset, std::uint64_t ring_offset, std::size_t bytes) noexcept {
  read_ = {false, Status::ok};
  const fabric::Remote& memory = binding_.peer().memory;
  const Outcome outcome = binding_.endpoint().post_read(region_.local(landing_offset), {memory.address + ring_offset, memory.key}, bytes, read_);
  if (outcome != Outcome::posted) read_.done = true;
  return outcome == Outcome::done || outcome == Outcome::posted;
}

bool PullReceiver::read_slots() noexcept {
  const std::uint64_t first = position_ & (shape_.slots - 1);
  batch_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(wish_, shape_.slots - first));
  next_ = 0;
  if (!post_read(slots_offset, slot_in_ring(shape_, position_), batch_ * sizeof(RemoteSlot))) return false;
  read_knows_bell_ = bell_told_;
  step_ = Step::reading;
  return true;
}

bool PullReceiver::sort_slots() noexcept {
  if (next_ == batch_) {
    wish_ = std::min(most_slots, 2 * batch_);
    step_ = Step::idle;
    return true;
  }
  const RemoteSlot& slot = landed(next_);
  if (slot.proof != seal(position_ + 1, slot)) {
    end_batch();
    return false;
  }
  if (slot.header.content.length() > fabric::slot_inline_bytes) {
    step_ = Step::wants_payload;
    return true;
  }
  ++next_;
  ++position_;
  found_ = {&slot.header, slot.payload};
  return false;
}

bool PullReceiver::read_payload() noexcept {
  const std::uint32_t length = landed(next_).header.content.length();
  if (!post_read(payload_offset, payload_in_ring(shape_, places_.place(payload_position_, length)), length)) return false;
  step_ = Step::reading_payload;
  return true;
}

// The next slot is not there, or only in part.
void PullReceiver::end_batch() noexcept {
  step_ = Step::idle;
  wish_ = std::max<std::uint32_t>(1, next_);
  if (next_ != 0) return;
  ++wasted_reads_;
  if (++empty_reads_ <= eager_reads) return;
  const std::int64_t pause_ns = std::min(longest_pause_ns, first_pause_ns << std::min(empty_reads_ - eager_reads, 16u));
  next_read_ns_ = os::spin_now_ns() + pause_ns;
}

bool PullReceiver::may_read() noexcept { return next_read_ns_ == 0 || os::spin_now_ns() >= next_read_ns_; }

void PullReceiver::expect_sleep() noexcept {
  next_read_ns_ = 0;
  if (!bell_told_ && can_be_woken_ && binding_.is_open(shape_)) ask_for_bell();
}

void PullReceiver::ask_for_bell() noexcept {
  return_.credit.slots = position_;
  return_.credit.payload = payload_position_;
  ++return_.credit.bell;
  return_.due = true;
  tell();
  bell_told_ = !return_.due;
}

void PullReceiver::give_back() noexcept {
  return_.credit.slots = position_;
  return_.credit.payload = payload_position_;
  return_.due = true;
  tell();
}

void PullReceiver::tell() noexcept { return_.tell(binding_.endpoint(), binding_.peer().memory); }

void PullReceiver::release(std::uint64_t sum) noexcept {
  return_.credit.held = sum;
  return_.due = true;
  if (binding_.is_open(shape_)) tell();
}

}  // namespace weft::channel
