// States of a connected queue pair.
#include "fabric/verbs/queue_pair.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace weft::fabric::verbs {
namespace {

constexpr std::uint32_t first_packet = 0x3aa551;      // both sides the same; a queue pair is never connected twice
constexpr int most_reads = 16;                        // reads and atomics in flight
constexpr std::uint8_t hop_limit = 64;

Expected<Nothing> to_init(ibv_qp* queue, const Common& common, bool reliable) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = common.device.port;
  attributes.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  if (reliable) attributes.qp_access_flags |= IBV_ACCESS_REMOTE_READ;
  if (reliable && common.device.has_atomics()) attributes.qp_access_flags |= IBV_ACCESS_REMOTE_ATOMIC;
  if (const int error = ibv_modify_qp(queue, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS); error != 0)
    return system_failure("queue pair to INIT", error);
  return Nothing{};
}

}  // namespace

ibv_qp_cap send_capabilities(const Settings& settings) noexcept {
  ibv_qp_cap capabilities{};
  capabilities.max_send_wr = settings.depth;
  capabilities.max_send_sge = 2;       // head and payload
  capabilities.max_inline_data = settings.inline_bytes;
  return capabilities;
}

ibv_ah_attr route_to(const Device& device, const Card& peer) noexcept {
  ibv_ah_attr route{};
  route.port_num = device.port;
  route.dlid = peer.lid;
  route.is_global = device.network == Network::roce;
  route.grh.dgid = peer.gid;
  route.grh.sgid_index = static_cast<std::uint8_t>(device.gid_index);
  route.grh.hop_limit = hop_limit;
  return route;
}

Expected<QueuePair> QueuePair::create(const Common& common, ibv_srq* receives) {
  const bool reliable = common.settings.transport == Transport::rc;
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = common.completions.queue();
  wanted.srq = receives;
  wanted.qp_type = reliable ? IBV_QPT_RC : IBV_QPT_UC;
  wanted.cap = send_capabilities(common.settings);
  QueuePair pair;
  for (std::uint32_t inline_bytes = common.settings.inline_bytes; pair.queue_ == nullptr; inline_bytes /= 2) {   // devices refuse what they don't have
    wanted.cap = send_capabilities(common.settings);
    wanted.cap.max_inline_data = inline_bytes;
    pair.queue_.reset(ibv_create_qp(common.device.domain.get(), &wanted));
    if (inline_bytes == 0) break;
  }
  if (pair.queue_ == nullptr)
    return system_failure(fmt::format("a queue pair of {} requests, {} bytes inline, on {}", common.settings.depth, common.settings.inline_bytes, common.device.name), errno);
  pair.granted_ = {std::min(common.settings.depth, wanted.cap.max_send_wr), wanted.cap.max_inline_data,
                   ibv_query_qp_data_in_order(pair.get(), IBV_WR_RDMA_WRITE, 0) != 0};
  if (const Done initial = to_init(pair.get(), common, reliable); !initial) return initial.failure();
  return pair;
}

int QueuePair::connect(const Common& common, const Card& peer, std::uint32_t peer_number) noexcept {
  const bool reliable = common.settings.transport == Transport::rc;
  const ibv_device_attr& limits = common.device.limits;
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = std::min(common.device.mtu, static_cast<ibv_mtu>(peer.mtu));
  attributes.dest_qp_num = peer_number;
  attributes.rq_psn = first_packet;
  attributes.ah_attr = route_to(common.device, peer);
  attributes.max_dest_rd_atomic = static_cast<std::uint8_t>(std::min(limits.max_qp_rd_atom, most_reads));
  attributes.min_rnr_timer = common.settings.receiver_timer;
  const int reliable_receive = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | (reliable ? reliable_receive : 0);
  if (const int error = ibv_modify_qp(get(), &attributes, mask); error != 0) return error;
  attributes = {};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = first_packet;
  attributes.timeout = common.settings.timeout;
  attributes.retry_cnt = common.settings.retries;
  attributes.rnr_retry = common.settings.receiver_retries;
  attributes.max_rd_atomic = static_cast<std::uint8_t>(std::min(limits.max_qp_init_rd_atom, most_reads));
  const int reliable_send = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  mask = IBV_QP_STATE | IBV_QP_SQ_PSN | (reliable ? reliable_send : 0);
  return ibv_modify_qp(get(), &attributes, mask);
}

}  // namespace weft::fabric::verbs
