// Operations over a connected queue pair.
#include "fabric/verbs/endpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace weft::fabric::verbs {
namespace {

constexpr std::uint32_t bounce_count = 128;
constexpr std::uint32_t result_count = 256;
constexpr std::uint32_t iwarp_receives = 128;    // for each peer: where none is posted, iWARP doesn't wait but ends the connection
constexpr std::uint32_t chain_limit = 16;     // requests of one post

std::uintptr_t number_of(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }

std::uint32_t operations_of(const Device& device, Transport transport) noexcept {
  std::uint32_t operations = op_write | op_send;
  if (device.network != Network::iwarp) operations |= op_write_immediate;
  if (transport != Transport::rc) return operations;
  operations |= op_read;
  if (device.has_atomics()) operations |= op_fetch_add | op_compare_swap;
  return operations;
}

}  // namespace

Done Connected::open(Common& common) {
  const std::uint32_t needed = common.device.network == Network::iwarp ? iwarp_receives * static_cast<std::uint32_t>(common.world_size) : 0;
  const std::uint32_t count = std::min(std::max(common.settings.receives, needed), static_cast<std::uint32_t>(common.device.limits.max_srq_wr));
  operations = operations_of(common.device, common.settings.transport);
  if (Done reserved = common.completions.reserve(count); !reserved) return reserved;
  if (Done opened = receives.open(*common.memory, count, common.settings.message_bytes, connected_mark); !opened) return opened;
  if (Done opened = bounces.open(*common.memory, bounce_count, common.settings.message_bytes); !opened) return opened;
  if (Done opened = results.open(*common.memory, result_count, sizeof(std::uint64_t)); !opened) return opened;
  ibv_srq_init_attr wanted{};
  wanted.attr.max_wr = count;
  wanted.attr.max_sge = 1;
  shared_receives.reset(ibv_create_srq(common.device.domain.get(), &wanted));
  if (shared_receives == nullptr) return system_failure(fmt::format("a shared receive queue of {} on {}", count, common.device.name), errno);
  receives.attach(shared_receives.get());
  return receives.fill();
}

Done ConnectedEndpoint::create() {
  Expected<QueuePair> pair = QueuePair::create(common_, connected_.shared_receives.get());
  if (!pair) return pair.failure();
  if (Done reserved = reserve(pair->granted().depth); !reserved) return reserved;
  pair_ = std::move(*pair);
  begin(pair_.get(), pair_.granted());
  return Nothing{};
}

Done ConnectedEndpoint::reserve(std::uint32_t completions) {
  if (Done reserved = common_.completions.reserve(completions); !reserved) return reserved;
  reserved_ = completions;
  return Nothing{};
}

void ConnectedEndpoint::begin(ibv_qp* queue, const Granted& granted) {
  queue_ = queue;
  granted_ = granted;
  sends_.open(queue, granted.depth, *this);
}

Done ConnectedEndpoint::connect_to_self(const Opening& ours) {
  if (const int error = pair_.connect(common_, common_.card, pair_.number()); error != 0) return system_failure("a queue pair to itself", error);
  open_with(ours);
  return Nothing{};
}

void ConnectedEndpoint::open_with(const Opening& theirs) noexcept {
  peer_opening_ = theirs;
  if (state_ == State::opening) state_ = State::open;
}

void ConnectedEndpoint::heard(const Greeting& theirs) noexcept {
  peer_opening_ = theirs.opening;
  if (const int error = pair_.connect(common_, peer_, theirs.queue); error != 0) fail("connecting queue pairs", std::strerror(error));
}

void ConnectedEndpoint::ready() noexcept {
  if (state_ == State::opening) state_ = State::open;
}

// What is out is flushed and comes back as completions, each of which marks its operation.
void ConnectedEndpoint::fail(const char* what, const char* why) noexcept {
  if (state_ == State::lost) return;
  (void)std::snprintf(words_, sizeof words_, "%s on %s: %s", what, common_.device.name.c_str(), why);
  loss_ = words_;
  state_ = State::lost;
  if (queue_ == nullptr) return;
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_ERR;
  (void)ibv_modify_qp(queue_, &attributes, IBV_QP_STATE);
}

void ConnectedEndpoint::close() noexcept {
  is_closed_ = true;
  if (state_ == State::opening || sends_.is_awaited()) fail("connection", "closed by the peer");
  sends_.abandon();
}

Outcome ConnectedEndpoint::full() noexcept {
  if (!is_closed_) return Outcome::again;
  fail("connection", "closed by the peer");
  return Outcome::failed;
}

void ConnectedEndpoint::arrive(const ibv_wc& completion) noexcept {
  const std::uint32_t buffer = ReceiveQueue::buffer_of(completion.wr_id);
  if (completion.status != IBV_WC_SUCCESS) {
    connected_.receives.give_back(buffer);
    if (completion.status != IBV_WC_WR_FLUSH_ERR) fail("receiving", ibv_wc_status_str(completion.status));
    return;
  }
  if (opens_at_first_message_ && state_ == State::opening) state_ = State::open;
  if (completion.opcode == IBV_WC_RECV && completion.byte_len != 0) return connected_.receives.push(inbox_, buffer, 0, completion.byte_len);
  if (completion.opcode == IBV_WC_RECV_RDMA_WITH_IMM) immediates_ += completion.imm_data;
  connected_.receives.give_back(buffer);
}

Outcome ConnectedEndpoint::post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation* operation) noexcept {
  if (state_ != State::open) [[unlikely]] return refusal();
  const bool can_notify = has(op_write_immediate);
  if (notify == Notify::immediate && !can_notify) return Outcome::failed;
  const bool wake_behind = is_noticed(notify) && !can_notify;
  ibv_send_wr request{};
  request.opcode = !is_noticed(notify) || wake_behind ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_WRITE_WITH_IMM;
  request.imm_data = notify == Notify::immediate;
  if (wake_behind || bytes > common_.device.max_transfer_bytes) [[unlikely]] return post_long(request, from, to, bytes, wake_behind, operation);
  if (!sends_.has_room(1)) return full();
  ibv_sge piece{number_of(from.address), static_cast<std::uint32_t>(bytes), from.key};
  request.sg_list = &piece;
  request.num_sge = 1;
  request.wr.rdma = {to.address, to.key};
  const bool copied = bytes <= granted_.inline_bytes;
  if (copied) request.send_flags = IBV_SEND_INLINE;
  if (notify == Notify::followed && operation == nullptr && sends_.hold(request)) return Outcome::posted;
  SendEntry owed;
  if (!copied) owed.operation = operation;
  if (!sends_.post(&request, 1, owed)) return Outcome::failed;
  return copied ? Outcome::done : Outcome::posted;
}

Outcome ConnectedEndpoint::post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept {
  if (state_ != State::open) [[unlikely]] return refusal();
  if (!has(op_read)) return Outcome::failed;
  ibv_send_wr request{};
  request.opcode = IBV_WR_RDMA_READ;
  return post_long(request, to, from, bytes, false, &operation);
}

// Cut to what the device takes at once; `pattern` says what to do with each piece. An immediate goes with the last.
Outcome ConnectedEndpoint::post_long(ibv_send_wr& pattern, Local local, Remote remote, std::size_t bytes, bool wake_behind, Operation* operation) noexcept {
  const std::size_t most = common_.device.max_transfer_bytes;
  const std::size_t pieces = bytes == 0 ? 1 : (bytes + most - 1) / most;
  const std::size_t requests = pieces + (wake_behind ? 1 : 0);
  if (requests > std::min(chain_limit, granted_.depth)) return Outcome::failed;
  if (!sends_.has_room(static_cast<std::uint32_t>(requests))) return full();
  ibv_send_wr chain[chain_limit];
  ibv_sge runs[chain_limit];
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t offset = i * most;
    runs[i] = {number_of(local.address + offset), static_cast<std::uint32_t>(std::min(most, bytes - offset)), local.key};
    chain[i] = pattern;
    if (i + 1 < pieces && pattern.opcode == IBV_WR_RDMA_WRITE_WITH_IMM) chain[i].opcode = IBV_WR_RDMA_WRITE;
    chain[i].sg_list = &runs[i];
    chain[i].num_sge = 1;
    chain[i].wr.rdma = {remote.address + offset, remote.key};
    chain[i].next = &chain[i + 1];
  }
  if (wake_behind) {
    chain[pieces] = {};
    chain[pieces].opcode = IBV_WR_SEND;
  }
  chain[requests - 1].next = nullptr;
  const bool copied = pieces == 1 && bytes <= granted_.inline_bytes && pattern.opcode != IBV_WR_RDMA_READ;
  SendEntry owed;
  if (copied) chain[0].send_flags |= IBV_SEND_INLINE;
  else owed.operation = operation;
  if (!sends_.post(chain, static_cast<std::uint32_t>(requests), owed)) return Outcome::failed;
  return copied ? Outcome::done : Outcome::posted;
}

Outcome ConnectedEndpoint::post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept {
  ibv_send_wr request{};
  request.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  request.wr.atomic.compare_add = add;
  return has(op_fetch_add) ? post_atomic(at, request, operation) : Outcome::failed;
}

Outcome ConnectedEndpoint::post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept {
  ibv_send_wr request{};
  request.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  request.wr.atomic.compare_add = expected;
  request.wr.atomic.swap = desired;
  return has(op_compare_swap) ? post_atomic(at, request, operation) : Outcome::failed;
}

Outcome ConnectedEndpoint::post_atomic(Remote at, ibv_send_wr& request, AtomicOperation& operation) noexcept {
  if (state_ != State::open) [[unlikely]] return refusal();
  if (!sends_.has_room(1)) return full();
  const std::uint32_t result = connected_.results.take();
  if (result == no_buffer) return Outcome::again;
  ibv_sge piece{number_of(connected_.results.at(result)), sizeof(std::uint64_t), connected_.results.key()};
  request.sg_list = &piece;
  request.num_sge = 1;
  request.wr.atomic.remote_addr = at.address;
  request.wr.atomic.rkey = at.key;
  SendEntry owed;
  owed.operation = &operation;
  owed.pool = &connected_.results;
  owed.buffer = result;
  owed.is_atomic = true;
  if (sends_.post(&request, 1, owed)) return Outcome::posted;
  connected_.results.give(result);
  return Outcome::failed;
}

Outcome ConnectedEndpoint::post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept {
  if (state_ != State::open) [[unlikely]] return refusal();
  const std::size_t bytes = head_bytes + payload_bytes;
  if (bytes == 0 || bytes > common_.settings.message_bytes) return Outcome::failed;
  if (!sends_.has_room(1)) return full();
  ibv_sge pieces[2] = {{number_of(head), static_cast<std::uint32_t>(head_bytes), 0}, {number_of(payload), static_cast<std::uint32_t>(payload_bytes), 0}};
  ibv_send_wr request{};
  request.opcode = IBV_WR_SEND;
  request.sg_list = pieces;
  SendEntry owed;
  if (bytes <= granted_.inline_bytes) {
    request.num_sge = payload_bytes != 0 ? 2 : 1;
    request.send_flags = IBV_SEND_INLINE;
  } else {
    owed.pool = &connected_.bounces;
    owed.buffer = connected_.bounces.take();
    if (owed.buffer == no_buffer) return Outcome::again;
    std::byte* copy = connected_.bounces.at(owed.buffer);
    std::memcpy(copy, head, head_bytes);
    if (payload_bytes != 0) std::memcpy(copy + head_bytes, payload, payload_bytes);
    pieces[0] = {number_of(copy), static_cast<std::uint32_t>(bytes), connected_.bounces.key()};
    request.num_sge = 1;
  }
  if (sends_.post(&request, 1, owed)) return Outcome::done;
  if (owed.pool != nullptr) owed.pool->give(owed.buffer);
  return Outcome::failed;
}

// An empty message: it completes a receive, and that rings.
void ConnectedEndpoint::wake() noexcept {
  if (state_ != State::open || !sends_.has_room(1)) return;
  ibv_send_wr request{};
  request.opcode = IBV_WR_SEND;
  (void)sends_.post(&request, 1, SendEntry{});
}

}  // namespace weft::fabric::verbs
