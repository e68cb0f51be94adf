// Writing slots, and the three proofs.
#include "channel/push_endpoint.hpp"

namespace weft::channel {

ArrivalProof arrival_proof(const fabric::Caps& caps) noexcept {
  if (caps.in_order_placement) return ArrivalProof::tail;
  return caps.has(fabric::op_write_immediate) ? ArrivalProof::immediate : ArrivalProof::second_write;
}

Expected<std::unique_ptr<SendLink>> EndpointPushSender::make(fabric::Port& port, fabric::RingShape shape) {
  const bool copies_slots = port.caps().max_inline_bytes >= sizeof(RemoteSlot);
  const fabric::RingShape mirror{copies_slots ? 1 : shape.slots, shape.payload};
  const Expected<fabric::Region> region = port.allocate(mirror.bytes());
  if (!region) return region.failure();
  return std::unique_ptr<SendLink>(new EndpointPushSender(arrival_proof(port.caps()), *region, mirror, shape));
}

Outcome EndpointPushSender::write(const void* from, std::size_t to, std::size_t bytes, fabric::Notify notify) noexcept {
  const fabric::Remote& memory = binding_.peer().memory;
  return binding_.endpoint().post_write(mirror_.region().local(mirror_.offset(from)), {memory.address + to, memory.key}, bytes, notify, nullptr);
}

Outcome EndpointPushSender::write_slot(const RemoteSlot& slot, std::size_t inline_bytes) noexcept {
  const std::size_t used_bytes = offsetof(RemoteSlot, payload) + ((inline_bytes + 7) & ~std::size_t{7});
  const std::size_t to = slot_in_ring(shape_, position_);
  switch (proof_) {
    case ArrivalProof::tail: return write(&slot, to, sizeof slot, fabric::Notify::wake);
    case ArrivalProof::immediate: return write(&slot, to, used_bytes, fabric::Notify::immediate);
    case ArrivalProof::second_write: break;
  }
  if (const Outcome outcome = write(&slot, to, used_bytes, fabric::Notify::followed); outcome == Outcome::again || outcome == Outcome::failed) return outcome;
  return write(&slot.proof, to + offsetof(RemoteSlot, proof), sizeof slot.proof, fabric::Notify::wake);
}

Outcome EndpointPushSender::post(Envelope envelope, Content content, const void* payload) noexcept {
  if (!binding_.is_open(shape_)) [[unlikely]] return binding_.refusal();
  const std::size_t length = content.length();
  const bool is_long = length > fabric::slot_inline_bytes;
  const std::uint64_t place = is_long ? mirror_.ring().place(payload_position_, length) : 0;
  const std::uint64_t after = is_long ? fabric::Ring::after(place, length) : payload_position_;
  if (!mirror_.has_credit(position_, after)) return Outcome::again;
  RemoteSlot& slot = mirror_.slot(position_);
  if (is_long) {
    std::byte* const copy = mirror_.ring().payload(place);
    std::memcpy(copy, payload, length);
    const Outcome outcome = write(copy, payload_in_ring(shape_, place), length, fabric::Notify::followed);
    if (outcome == Outcome::again || outcome == Outcome::failed) return outcome;
  } else {
    copy_few(slot.payload, payload, length);
  }
  slot.header = {envelope, content};
  slot.proof = position_ + 1;
  if (const Outcome outcome = write_slot(slot, is_long ? 0 : length); outcome == Outcome::again || outcome == Outcome::failed) return outcome;
  ++position_;
  payload_position_ = after;
  return Outcome::done;
}

// The receiver's region is laid out as the mirror; its first line is the image of the credit it gives back.
Expected<std::unique_ptr<ReceiveLink>> EndpointPushReceiver::make(fabric::Port& port, fabric::RingShape shape) {
  const Expected<fabric::Region> region = port.allocate(shape.bytes());
  if (!region) return region.failure();
  return std::unique_ptr<ReceiveLink>(new EndpointPushReceiver(arrival_proof(port.caps()), *region, shape));
}

EndpointPushReceiver::EndpointPushReceiver(ArrivalProof proof, fabric::Region region, fabric::RingShape shape) noexcept
    : proof_(proof), shape_(shape), region_(region), ring_(region.address, shape), return_(region.local()) {}

bool EndpointPushReceiver::has_arrived(const RemoteSlot& slot) const noexcept {
  if (proof_ == ArrivalProof::immediate) return binding_.endpoint().immediates() > position_;
  return __atomic_load_n(&slot.proof, __ATOMIC_ACQUIRE) == position_ + 1;
}

Arrival EndpointPushReceiver::poll() noexcept {
  const RemoteSlot& next = slot(position_);
  const std::uint64_t unreturned_payload = payload_position_ - return_.credit.payload;
  if (!has_arrived(next)) {
    if (payload_is_short(ring_, payload_position_, return_.credit.payload)) [[unlikely]] give_back();
    if (return_.due) [[unlikely]] tell();
    return {nullptr, nullptr};
  }
  if (position_ - return_.credit.slots >= shape_.slots / 4 || unreturned_payload >= shape_.payload / 4) [[unlikely]] give_back();
  ++position_;
  const std::uint32_t length = next.header.content.length();
  if (length <= fabric::slot_inline_bytes) [[likely]] return {&next.header, next.payload};
  const std::uint64_t place = ring_.place(payload_position_, length);
  payload_position_ = fabric::Ring::after(place, length);
  return {&next.header, ring_.payload(place)};
}

void EndpointPushReceiver::give_back() noexcept {
  return_.credit.slots = position_;
  return_.credit.payload = payload_position_;
  return_.due = true;
  tell();
}

void EndpointPushReceiver::tell() noexcept {
  if (binding_.is_open(shape_)) return_.tell(binding_.endpoint(), binding_.peer().memory);
}

void EndpointPushReceiver::release(std::uint64_t sum) noexcept {
  return_.credit.held = sum;
  return_.due = true;
  tell();
}

}  // namespace weft::channel
