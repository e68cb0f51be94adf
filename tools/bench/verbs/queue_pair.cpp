// Queue pairs; see queue_pair.hpp.
#include "bench/verbs/queue_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

namespace weft::bench::verbs {
namespace {

constexpr int longest_list = 64;             // pieces of work behind one doorbell
constexpr std::uint32_t datagram_key = 0x11111111;
constexpr std::uint32_t packet_number_mask = 0xffffff;
constexpr std::uint8_t most_reads_in_flight = 16;
constexpr std::uint8_t timeout_code = 16, transport_retries = 6;   // 0.27 s each; 7 retries are for ever on soft-RoCE
constexpr std::uint8_t not_ready_code = 1, not_ready_retries = 7;  // 10 us; for ever: flow control keeps it from happening

ibv_qp_type type_of(Transport transport) {
  switch (transport) {
    case Transport::rc: return IBV_QPT_RC;
    case Transport::uc: return IBV_QPT_UC;
    case Transport::ud: return IBV_QPT_UD;
  }
  return IBV_QPT_RC;
}

ibv_wr_opcode opcode_of(Operation operation) {
  switch (operation) {
    case Operation::send: return IBV_WR_SEND;
    case Operation::write: return IBV_WR_RDMA_WRITE;
    case Operation::read: return IBV_WR_RDMA_READ;
    case Operation::fetch_add: return IBV_WR_ATOMIC_FETCH_AND_ADD;
    case Operation::compare_swap: return IBV_WR_ATOMIC_CMP_AND_SWP;
  }
  return IBV_WR_SEND;
}

}  // namespace

const char* name_of(Transport transport) {
  constexpr const char* names[] = {"RC", "UC", "UD"};
  return names[static_cast<int>(transport)];
}

const char* name_of(Operation operation) {
  constexpr const char* names[] = {"SEND", "WRITE", "READ", "FAA", "CAS"};
  return names[static_cast<int>(operation)];
}

bool carries(Transport transport, Operation operation) {
  switch (transport) {
    case Transport::rc: return true;
    case Transport::uc: return operation == Operation::send || operation == Operation::write;
    case Transport::ud: return operation == Operation::send;
  }
  return false;
}

CompletionQueue make_completion_queue(const Device& device, int entries) {
  const int granted = std::min(entries, device.limits().max_cqe);
  CompletionQueue queue(ibv_create_cq(device.context(), granted, nullptr, nullptr, 0));
  if (!queue) fail(fmt::format("ibv_create_cq of {} entries", granted), errno);
  return queue;
}

int poll(ibv_cq* queue, std::vector<ibv_wc>& completions) {
  const int count = ibv_poll_cq(queue, static_cast<int>(completions.size()), completions.data());
  if (count < 0) fail("ibv_poll_cq", errno);
  for (int i = 0; i < count; ++i)
    if (const ibv_wc& one = completions[static_cast<std::size_t>(i)]; one.status != IBV_WC_SUCCESS)
      throw std::runtime_error(fmt::format("queue pair {}: {} (vendor error {:#x})", one.qp_num, ibv_wc_status_str(one.status), one.vendor_err));
  return count;
}

QueuePair::QueuePair(const Device& device, const Region& region, Transport transport, Shape shape, ibv_cq* receives, std::uint64_t identity)
    : device_(device), region_(region), transport_(transport), shape_(shape), identity_(identity),
      first_packet_(std::random_device{}() & packet_number_mask), sends_(make_completion_queue(device, shape.send_depth)),
      requests_(longest_list), pieces_(longest_list), receive_requests_(longest_list), completions_(longest_list) {
  create(receives);
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = device.port();
  attributes.qkey = datagram_key;
  attributes.qp_access_flags = transport == Transport::rc ? IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC
                                                          : IBV_ACCESS_REMOTE_WRITE;
  const int last = transport == Transport::ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
  if (const int error = ibv_modify_qp(pair_.get(), &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | last); error != 0)
    fail(fmt::format("ibv_modify_qp to INIT ({})", name_of(transport)), error);
}

// How much a device takes in line has no query of its own: asked for from above until it is granted.
void QueuePair::create(ibv_cq* receives) {
  for (const unsigned in_line : {512U, 400U, 256U, 220U, 128U, 64U, 32U, 0U}) {
    ibv_qp_init_attr wanted{};
    wanted.qp_type = type_of(transport_);
    wanted.send_cq = sends_.get();
    wanted.recv_cq = receives;
    wanted.cap.max_send_wr = static_cast<unsigned>(shape_.send_depth);
    wanted.cap.max_recv_wr = static_cast<unsigned>(shape_.receive_depth);
    wanted.cap.max_send_sge = wanted.cap.max_recv_sge = 1;
    wanted.cap.max_inline_data = in_line;
    pair_.reset(ibv_create_qp(device_.domain(), &wanted));
    if (!pair_) continue;
    inline_limit_ = static_cast<int>(wanted.cap.max_inline_data);
    return;
  }
  fail(fmt::format("ibv_create_qp ({}, {} sends, {} receives)", name_of(transport_), shape_.send_depth, shape_.receive_depth), errno);
}

Address QueuePair::address() const {
  return {pair_->qp_num, first_packet_, region_.remote_key(), device_.port_state().lid, static_cast<std::uint8_t>(device_.port_state().active_mtu),
          device_.gid(), region_.address()};
}

ibv_ah_attr QueuePair::path_to_peer() const {
  ibv_ah_attr path{};
  path.port_num = device_.port();
  path.dlid = peer_.lid;
  if (device_.by_gid()) {
    path.is_global = 1;
    path.grh.dgid = peer_.gid;
    path.grh.sgid_index = device_.gid_index();
    path.grh.hop_limit = 64;
  }
  return path;
}

void QueuePair::connect(const Address& peer) {
  peer_ = peer;
  to_ready_to_receive();
  to_ready_to_send();
  if (transport_ != Transport::ud) return;
  ibv_ah_attr path = path_to_peer();
  path_.reset(ibv_create_ah(device_.domain(), &path));
  if (!path_) fail("ibv_create_ah", errno);
}

void QueuePair::to_ready_to_receive() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  int which = IBV_QP_STATE;
  if (transport_ != Transport::ud) {
    attributes.path_mtu = static_cast<ibv_mtu>(std::min<int>(peer_.mtu, device_.port_state().active_mtu));
    attributes.dest_qp_num = peer_.number;
    attributes.rq_psn = peer_.first_packet;
    attributes.ah_attr = path_to_peer();
    which |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  }
  if (transport_ == Transport::rc) {
    attributes.max_dest_rd_atomic = static_cast<std::uint8_t>(std::min<int>(most_reads_in_flight, device_.limits().max_qp_rd_atom));
    attributes.min_rnr_timer = not_ready_code;
    which |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  }
  if (const int error = ibv_modify_qp(pair_.get(), &attributes, which); error != 0) fail("ibv_modify_qp to RTR", error);
}

void QueuePair::to_ready_to_send() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = first_packet_;
  int which = IBV_QP_STATE | IBV_QP_SQ_PSN;
  if (transport_ == Transport::rc) {
    attributes.timeout = timeout_code;
    attributes.retry_cnt = transport_retries;
    attributes.rnr_retry = not_ready_retries;
    attributes.max_rd_atomic = static_cast<std::uint8_t>(std::min<int>(most_reads_in_flight, device_.limits().max_qp_init_rd_atom));
    which |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  }
  if (const int error = ibv_modify_qp(pair_.get(), &attributes, which); error != 0) fail("ibv_modify_qp to RTS", error);
}

void QueuePair::signal_every(int interval) { interval_ = std::clamp(interval, 1, std::max(shape_.send_depth / 2, 1)); }

void QueuePair::fill(ibv_send_wr& request, const Work& work) {
  request.opcode = opcode_of(work.operation);
  if (transport_ == Transport::ud) {
    request.wr.ud.ah = path_.get();
    request.wr.ud.remote_qpn = peer_.number;
    request.wr.ud.remote_qkey = datagram_key;
  } else if (work.operation == Operation::fetch_add || work.operation == Operation::compare_swap) {
    request.wr.atomic.remote_addr = work.remote;
    request.wr.atomic.rkey = peer_.key;
    request.wr.atomic.compare_add = work.compare_or_add;
    request.wr.atomic.swap = work.swap;
  } else {
    request.wr.rdma.remote_addr = work.remote;
    request.wr.rdma.rkey = peer_.key;
  }
}

// A signalled piece tells in wr_id how many entries it frees: itself and the silent ones before it.
void QueuePair::post_list(const Work& work, int count, bool signal_last) {
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    ibv_send_wr& request = requests_[place];
    pieces_[place] = {work.local, work.bytes, region_.local_key()};
    ++since_signal_;
    const bool signal = since_signal_ >= interval_ || (signal_last && i == count - 1);
    request = {};
    request.wr_id = static_cast<std::uint64_t>(since_signal_);
    request.next = i == count - 1 ? nullptr : &requests_[place + 1];
    request.sg_list = &pieces_[place];
    request.num_sge = 1;
    if (signal) request.send_flags |= IBV_SEND_SIGNALED;
    if (work.in_line) request.send_flags |= IBV_SEND_INLINE;
    fill(request, work);
    if (signal) since_signal_ = 0;
  }
  in_flight_ += count;
  ibv_send_wr* refused = nullptr;
  if (const int error = ibv_post_send(pair_.get(), requests_.data(), &refused); error != 0)
    fail(fmt::format("ibv_post_send {} over {}, {} bytes", name_of(work.operation), name_of(transport_), work.bytes), error);
}

void QueuePair::post(const Work& work, int count) {
  for (int left = count; left > 0; left -= longest_list) post_list(work, std::min(left, longest_list), false);
}

void QueuePair::post_signalled(const Work& work) { post_list(work, 1, true); }

int QueuePair::reap() {
  const int count = poll(sends_.get(), completions_);
  int freed = 0;
  for (int i = 0; i < count; ++i) freed += static_cast<int>(completions_[static_cast<std::size_t>(i)].wr_id);
  in_flight_ -= freed;
  return freed;
}

void QueuePair::post_receives(std::uint64_t buffer, std::uint32_t bytes, int count) {
  receive_piece_ = {buffer, bytes + receive_offset(), region_.local_key()};
  for (int left = count; left > 0; left -= longest_list) {
    const int length = std::min(left, longest_list);
    for (int i = 0; i < length; ++i)
      receive_requests_[static_cast<std::size_t>(i)] = {identity_, i == length - 1 ? nullptr : &receive_requests_[static_cast<std::size_t>(i) + 1],
                                                        &receive_piece_, 1};
    ibv_recv_wr* refused = nullptr;
    if (const int error = ibv_post_recv(pair_.get(), receive_requests_.data(), &refused); error != 0) fail("ibv_post_recv", error);
  }
}

}  // namespace weft::bench::verbs
