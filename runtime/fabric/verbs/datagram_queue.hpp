// The UD queue pair of a port: small datagrams to any port on the network, which may be lost, repeated or overtaken. What
// goes over it makes up for that itself (side_channel, datagram). Threads: one at a time.
#pragma once

#include <map>

#include "fabric/verbs/common.hpp"
#include "fabric/verbs/send_queue.hpp"

namespace weft::fabric::verbs {

enum class DatagramKind : std::uint8_t { greeting, data, acknowledgement };

// In front of each. From whom, to whom and of which job: datagrams of strangers, and of ports that had our number before, are dropped.
struct DatagramHead {
  std::uint64_t job;
  std::int32_t from;
  std::int32_t to;
  std::uint32_t sequence;
  std::uint32_t acknowledged;
  std::uint32_t bytes;                 // behind the head
  DatagramKind kind;
  std::uint8_t flags;
  std::uint16_t unused;
};
static_assert(sizeof(DatagramHead) == 32);

// The way to one port.
struct Route {
  ibv_ah* address = nullptr;
  std::uint32_t queue = 0;
};

class DatagramQueue final : SendQueue::Owner {
 public:
  Done open(Common& common, std::uint32_t sends, std::uint32_t receives, std::size_t bytes);
  std::uint32_t number() const noexcept { return queue_->qp_num; }
  std::uint32_t inline_bytes() const noexcept { return inline_bytes_; }
  std::size_t max_bytes() const noexcept { return buffers_.bytes() - sizeof(DatagramHead); }

  std::int64_t silence_ns() const noexcept { return common_->settings.silence_ns; }   // after which a peer is lost

  Expected<Route> route_to(const Card& peer);
  DatagramHead head_for(int peer, DatagramKind kind) const noexcept;

  BufferPool& buffers() noexcept { return buffers_; }
  ReceiveQueue& receives() noexcept { return receives_; }
  // Sends head and what follows it in the buffer, which stays the caller's. False: no room, or the device is broken.
  bool post(const Route& route, std::uint32_t buffer) noexcept;

  // A completed receive: the head where it is one of ours for us, else null, and the buffer has gone back.
  const DatagramHead* accept(const ibv_wc& completion) noexcept;
  static constexpr std::uint32_t head_offset = 40 + sizeof(DatagramHead);   // of what follows a head, in a receive buffer

  const char* failure() const noexcept { return failure_; }                 // null while the device works

 private:
  void fail(const char* what, const char* why) noexcept override;

  const Common* common_ = nullptr;
  BufferPool buffers_;
  ReceiveQueue receives_;
  std::map<std::string, Handle<ibv_ah, ibv_destroy_ah>> addresses_;   // by GID and LID: the ranks of a host share one
  Handle<ibv_qp, ibv_destroy_qp> queue_;
  SendQueue sends_;
  std::uint32_t inline_bytes_ = 0;
  std::uint32_t key_ = 0;
  const char* failure_ = nullptr;
};

}  // namespace weft::fabric::verbs
