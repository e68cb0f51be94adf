// pull: the sender publishes in a ring in its own memory, the receiver READs it.
//
//   sender:   credit ? store payload, store the slot with its seal : `again`; wakes the receiver if it asked to be woken
//   receiver: idle --poll--> READ of the next slots --done--> the first one's seal is right ? hand it up : wasted, read again
//             a long payload is a second READ of exactly its bytes; credit goes back by a WRITE every quarter ring
//
// A slot's seal is a sum over its sequence and all its words: a READ that tore it, within a line or not, or that came too
// early, shows. Empty READs are repeated at once for a while, then more and more rarely. Before it sleeps the receiver WRITEs
// that it wants to be woken and READs once more; the sender publishes, fences, and looks: one of them sees the other.
// Invariants: as in push_endpoint.hpp; a message in place stays until the next poll, so a READ into its memory waits for that.
#pragma once

#include <memory>

#include "channel/remote_ring.hpp"
#include "os/expected.hpp"

namespace weft::channel {

class PullSender final : public SendLink {
 public:
  static Expected<std::unique_ptr<SendLink>> make(fabric::Port& port, fabric::RingShape shape);
  PullSender(fabric::Region region, fabric::RingShape shape) noexcept : shape_(shape), own_(region, shape, shape) {}

  Outcome post(Envelope envelope, Content content, const void* payload) noexcept override;
  bool poll() noexcept override;
  std::size_t max_payload_bytes() const noexcept override { return longest_payload(shape_.payload); }
  std::uint64_t released() const noexcept override { return own_.held(); }
  LinkEnd end() const noexcept override { return own_.end(); }
  void attach(fabric::Endpoint& endpoint, int way, Wires&) override { binding_.attach(endpoint, way); }

 private:
  void answer_bell() noexcept;

  fabric::RingShape shape_;
  SenderRing own_;
  Binding binding_;
  std::uint64_t position_ = 0;
  std::uint64_t payload_position_ = 0;
  std::uint64_t bell_ = 0;               // as last answered
  bool owes_bell_ = false;               // found the endpoint still opening
};

class PullReceiver final : public ReceiveLink {
 public:
  static Expected<std::unique_ptr<ReceiveLink>> make(fabric::Port& port, fabric::RingShape shape);
  PullReceiver(fabric::Region region, fabric::RingShape shape, bool can_be_woken) noexcept;

  Arrival poll() noexcept override;
  void release(std::uint64_t sum) noexcept override;
  void expect_sleep() noexcept override;
  bool is_silent() const noexcept override { return !(can_be_woken_ && bell_told_ && looked_); }
  std::uint64_t wasted_reads() const noexcept override { return wasted_reads_; }
  LinkEnd end() const noexcept override { return {{}, shape_}; }
  void attach(fabric::Endpoint& endpoint, int way, Wires&) override { binding_.attach(endpoint, way); }

 private:
  static constexpr std::uint32_t most_slots = 16;          // in one READ
  enum class Step : std::uint8_t { idle, reading, sorting, wants_payload, reading_payload };

  bool advance() noexcept;               // one step; false: nothing to do but wait
  bool read_slots() noexcept;
  bool sort_slots() noexcept;
  bool read_payload() noexcept;
  void end_batch() noexcept;
  bool may_read() noexcept;
  void ask_for_bell() noexcept;
  void give_back() noexcept;
  void tell() noexcept;
  const RemoteSlot& landed(std::uint32_t number) const noexcept { return reinterpret_cast<const RemoteSlot*>(region_.address + sizeof(CreditLine))[number]; }
  std::byte* payload() const noexcept { return region_.address + payload_offset; }
  bool post_read(std::size_t landing_offset, std::uint64_t ring_offset, std::size_t bytes) noexcept;

  // Our region: the image of the credit line, slots as they land, one payload.
  static constexpr std::size_t slots_offset = sizeof(CreditLine);
  static constexpr std::size_t payload_offset = slots_offset + most_slots * sizeof(RemoteSlot);

  fabric::RingShape shape_;
  fabric::Region region_;
  fabric::Ring places_;                  // for where things lie in the sender's ring; points nowhere
  bool can_be_woken_;
  Binding binding_;
  CreditReturn return_;
  fabric::Operation read_;
  Step step_ = Step::idle;
  std::uint32_t batch_ = 1;              // slots of the READ under way or being sorted
  std::uint32_t wish_ = 1;               // slots of the next one
  std::uint32_t next_ = 0;               // of them: to be looked at
  std::uint64_t position_ = 0;           // slots taken
  std::uint64_t payload_position_ = 0;
  Arrival found_{};
  std::uint64_t wasted_reads_ = 0;
  std::uint32_t empty_reads_ = 0;        // in a row
  std::int64_t next_read_ns_ = 0;
  bool bell_told_ = false;               // the sender knows that it should wake us
  bool read_knows_bell_ = false;         // the READ under way was posted after that
  bool looked_ = false;                  // and the last poll saw one on its way or end
};

}  // namespace weft::channel
