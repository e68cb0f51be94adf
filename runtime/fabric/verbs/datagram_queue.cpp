// Making the UD queue pair, sending and accepting.
#include "fabric/verbs/datagram_queue.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "fabric/verbs/queue_pair.hpp"
#include "os/log.hpp"

namespace weft::fabric::verbs {
namespace {

constexpr std::uint32_t depth = 63;
constexpr std::size_t route_header_bytes = 40;     // in front of each received datagram

// The upper half of the keys is for privileged users.
std::uint32_t key_of(std::uint64_t job) noexcept { return static_cast<std::uint32_t>(job ^ job >> 32) & 0x7fffffff; }

Done to_send(ibv_qp* queue, const Common& common, std::uint32_t key) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = common.device.port;
  attributes.qkey = key;
  int error = ibv_modify_qp(queue, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
  attributes.qp_state = IBV_QPS_RTR;
  if (error == 0) error = ibv_modify_qp(queue, &attributes, IBV_QP_STATE);
  attributes.qp_state = IBV_QPS_RTS;
  if (error == 0) error = ibv_modify_qp(queue, &attributes, IBV_QP_STATE | IBV_QP_SQ_PSN);
  if (error != 0) return system_failure(fmt::format("UD queue pair on {}", common.device.name), error);
  return Nothing{};
}

}  // namespace

Done DatagramQueue::open(Common& common, std::uint32_t sends, std::uint32_t receives, std::size_t bytes) {
  common_ = &common;
  key_ = key_of(common.job);
  if (Done reserved = common.completions.reserve(depth + receives); !reserved) return reserved;
  if (Done opened = buffers_.open(*common.memory, sends, sizeof(DatagramHead) + bytes); !opened) return opened;
  if (Done opened = receives_.open(*common.memory, receives, route_header_bytes + sizeof(DatagramHead) + bytes, datagram_mark); !opened) return opened;
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = common.completions.queue();
  wanted.qp_type = IBV_QPT_UD;
  wanted.cap = send_capabilities(common.settings);
  wanted.cap.max_send_wr = depth;
  wanted.cap.max_inline_data = 0;
  wanted.cap.max_recv_wr = receives;
  wanted.cap.max_recv_sge = 1;
  if (common.settings.transport == Transport::ud) wanted.cap.max_inline_data = common.settings.inline_bytes;
  queue_.reset(ibv_create_qp(common.device.domain.get(), &wanted));
  if (queue_ == nullptr) {
    wanted.cap.max_inline_data = 0;
    queue_.reset(ibv_create_qp(common.device.domain.get(), &wanted));
  }
  if (queue_ == nullptr) return system_failure(fmt::format("UD queue pair of {} receives on {}", receives, common.device.name), errno);
  inline_bytes_ = wanted.cap.max_inline_data;
  if (Done ready = to_send(queue_.get(), common, key_); !ready) return ready;
  sends_.open(queue_.get(), depth, *this);
  receives_.attach(queue_.get());
  return receives_.fill();
}

Expected<Route> DatagramQueue::route_to(const Card& peer) {
  std::string key(reinterpret_cast<const char*>(&peer.gid), sizeof peer.gid);
  key.append(reinterpret_cast<const char*>(&peer.lid), sizeof peer.lid);
  Handle<ibv_ah, ibv_destroy_ah>& address = addresses_[key];
  if (address == nullptr) {
    ibv_ah_attr route = verbs::route_to(common_->device, peer);
    address.reset(ibv_create_ah(common_->device.domain.get(), &route));
    if (address == nullptr) return system_failure(fmt::format("address of rank {} on {}", peer.world_rank, common_->device.name), errno);
  }
  return Route{address.get(), peer.datagram_queue};
}

DatagramHead DatagramQueue::head_for(int peer, DatagramKind kind) const noexcept {
  return {common_->job, common_->world_rank, peer, 0, 0, 0, kind, 0, 0};
}

bool DatagramQueue::post(const Route& route, std::uint32_t buffer) noexcept {
  if (failure_ != nullptr || !sends_.has_room(1)) return false;
  DatagramHead head;
  std::memcpy(&head, buffers_.at(buffer), sizeof head);
  ibv_sge piece{reinterpret_cast<std::uintptr_t>(buffers_.at(buffer)), static_cast<std::uint32_t>(sizeof head) + head.bytes, buffers_.key()};
  ibv_send_wr request{};
  request.sg_list = &piece;
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND;
  request.wr.ud = {route.address, route.queue, key_};
  SendEntry owed;
  if (piece.length <= inline_bytes_) {
    request.send_flags = IBV_SEND_INLINE;
  } else {
    buffers_.hold(buffer);             // the device still reads it, whatever the caller does
    owed.pool = &buffers_;
    owed.buffer = buffer;
  }
  return sends_.post(&request, 1, owed);
}

const DatagramHead* DatagramQueue::accept(const ibv_wc& completion) noexcept {
  const std::uint32_t buffer = ReceiveQueue::buffer_of(completion.wr_id);
  const auto* head = reinterpret_cast<const DatagramHead*>(receives_.at(buffer) + route_header_bytes);
  const bool whole = completion.status == IBV_WC_SUCCESS && completion.byte_len >= head_offset && completion.byte_len - head_offset == head->bytes;
  const bool known = head->job == common_->job && head->to == common_->world_rank && head->from >= 0 && head->from < common_->world_size;
  if (whole && known) return head;
  if (completion.status != IBV_WC_WR_FLUSH_ERR) receives_.give_back(buffer);
  return nullptr;
}

void DatagramQueue::fail(const char* what, const char* why) noexcept {
  if (failure_ == nullptr) os::log_error("RDMA device {}: {} of a datagram: {}", common_->device.name, what, why);
  failure_ = why;
}

}  // namespace weft::fabric::verbs
