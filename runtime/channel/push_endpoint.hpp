// push over an endpoint: the sender composes slots and payloads in a mirror of the receiver's ring and WRITEs them there; the
// receiver polls its own memory and WRITEs credit back, every quarter ring. (push.hpp is the same where the receiver's memory
// is mapped: shm and self.) What proves that a slot has arrived whole depends on the port:
//   tail          bytes of a write land in order: the sequence is the last word of the one write
//   immediate     a write may notify: as many slots have arrived as notices
//   second_write  the sequence follows in a write of its own
// Where a post copies as much as a slot, the mirror has one slot only.
// Invariants: positions only grow; what a write reads is reused only with credit, so it has landed; whatever is written before
// the proof is out may be written again.
#pragma once

#include <memory>

#include "channel/remote_ring.hpp"
#include "os/expected.hpp"

namespace weft::channel {

enum class ArrivalProof : std::uint8_t { tail, immediate, second_write };
ArrivalProof arrival_proof(const fabric::Caps& caps) noexcept;

class EndpointPushSender final : public SendLink {
 public:
  static Expected<std::unique_ptr<SendLink>> make(fabric::Port& port, fabric::RingShape shape);
  EndpointPushSender(ArrivalProof proof, fabric::Region region, fabric::RingShape mirror, fabric::RingShape shape) noexcept
      : proof_(proof), shape_(shape), mirror_(region, mirror, shape) {}

  Outcome post(Envelope envelope, Content content, const void* payload) noexcept override;
  std::size_t max_payload_bytes() const noexcept override { return longest_payload(shape_.payload); }
  std::uint64_t released() const noexcept override { return mirror_.held(); }
  LinkEnd end() const noexcept override { return mirror_.end(); }
  void attach(fabric::Endpoint& endpoint, int way, Wires&) override { binding_.attach(endpoint, way); }

 private:
  // From the mirror to this place of the receiver's region.
  Outcome write(const void* from, std::size_t to, std::size_t bytes, fabric::Notify notify) noexcept;
  Outcome write_slot(const RemoteSlot& slot, std::size_t inline_bytes) noexcept;

  ArrivalProof proof_;
  fabric::RingShape shape_;
  SenderRing mirror_;
  Binding binding_;
  std::uint64_t position_ = 0;           // slots written
  std::uint64_t payload_position_ = 0;   // payload bytes placed, skips included
};

class EndpointPushReceiver final : public ReceiveLink {
 public:
  static Expected<std::unique_ptr<ReceiveLink>> make(fabric::Port& port, fabric::RingShape shape);
  EndpointPushReceiver(ArrivalProof proof, fabric::Region region, fabric::RingShape shape) noexcept;

  Arrival poll() noexcept override;
  void release(std::uint64_t sum) noexcept override;
  LinkEnd end() const noexcept override { return {region_.remote, shape_}; }
  void attach(fabric::Endpoint& endpoint, int way, Wires&) override { binding_.attach(endpoint, way); }

 private:
  const RemoteSlot& slot(std::uint64_t position) const noexcept { return reinterpret_cast<const RemoteSlot&>(ring_.slot(position)); }
  bool has_arrived(const RemoteSlot& slot) const noexcept;
  void give_back() noexcept;
  void tell() noexcept;

  ArrivalProof proof_;
  fabric::RingShape shape_;
  fabric::Region region_;
  fabric::Ring ring_;
  Binding binding_;
  CreditReturn return_;
  std::uint64_t position_ = 0;           // slots taken, the last of them perhaps still being read
  std::uint64_t payload_position_ = 0;
};

}  // namespace weft::channel
