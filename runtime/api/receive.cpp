// MPI_Recv, MPI_Irecv, MPI_Recv_init, and the calls that send and receive in one.
#include "api/message.hpp"

namespace weft::api {
namespace {

using match::SendMode;

int receive_waiting(const Message& message, const char* call, int rank, int tag, MPI_Status* status) {
  match::Request* request = match::engine().post_receive(rank, message.comm->context, tag, message.buffer);
  match::engine().wait(*request);
  set_status(status, *request);
  const Status outcome = request->status;
  const std::size_t bytes = request->bytes, room = request->limit_bytes;
  request->release();
  return outcome == Status::ok ? MPI_SUCCESS : raise_transfer(message.comm, call, outcome, bytes, room);
}

template <typename Count>
[[gnu::noinline]] int receive_fully(void* address, Count count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status* status) {
  constexpr const char* call = "MPI_Recv";
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::receive>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (rank == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  if ((rank | tag) >= 0 && message.buffer.type->contiguous) {
    const std::size_t room = message.buffer.bytes();
    const std::int64_t sent = match::engine().receive_soon(message.peer_world_rank, {message.comm->context, rank, tag}, address, room);
    if (sent >= 0) {
      const auto bytes = static_cast<std::size_t>(sent);
      set_status(status, rank, tag, bytes < room ? bytes : room);
      return bytes <= room ? MPI_SUCCESS : raise_transfer(message.comm, call, Status::truncated, bytes, room);
    }
  }
  return receive_waiting(message, call, rank, tag, status);
}

// The one-step way of a few bytes that have come; everything else goes the full way, as in send.cpp.
template <typename Count>
[[gnu::always_inline]] inline int receive(void* address, Count count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status* status) {
  const comm::Communicator* c = os::runtime_state == 0 ? live_communicator(comm) : nullptr;
  const data::Datatype& datatype = live_datatype(type);
  if (c != nullptr && address != nullptr && datatype.contiguous && c->has_rank(rank) &&
      (count | tag) >= 0) [[likely]] {
    const auto room = static_cast<std::size_t>(count * datatype.size);
    const std::int64_t bytes = match::engine().receive_now(c->peers[rank], {c->context, rank, tag}, address, room);
    if (bytes >= 0 && static_cast<std::size_t>(bytes) <= room) [[likely]] {
      set_status(status, rank, tag, static_cast<std::size_t>(bytes));
      return MPI_SUCCESS;
    }
    if (bytes >= 0) {
      set_status(status, rank, tag, room);
      return raise_transfer(c, "MPI_Recv", Status::truncated, static_cast<std::size_t>(bytes), room);
    }
  }
  return receive_fully<Count>(address, count, type, rank, tag, comm, status);
}

[[gnu::noinline]] int immediate_receive_fully(void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  constexpr const char* call = "MPI_Irecv";
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::receive>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (out == nullptr) return null_argument(message.comm, call, "request");
  match::Request* request = match::completed_receive();
  if (rank != MPI_PROC_NULL) {
    request = match::engine().post_receive(rank, message.comm->context, tag, message.buffer);
    request->owner = message.comm;
  }
  *out = handle_of(request);
  return MPI_SUCCESS;
}

// A receive of one run of bytes whose message is to come; everything else goes the full way, as in send.cpp.
[[gnu::always_inline]] inline bool post_plainly(void* address, std::int64_t& count, MPI_Datatype& type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  if (out == nullptr || os::runtime_state != 0) [[unlikely]] return false;
  const comm::Communicator* c = plain_message(address, count, type, rank, tag, comm);
  if (c == nullptr) [[unlikely]] return false;
  const match::Key key{c->context, rank, tag};
  match::Receive* receive = match::engine().receive_later(key, address, static_cast<std::size_t>(count), c);
  if (receive == nullptr) [[unlikely]] return false;
  *out = handle_of(receive);
  match::engine().stand_in_line(key, receive);
  return true;
}

[[gnu::always_inline]] inline int immediate_receive(void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  if (post_plainly(address, count, type, rank, tag, comm, out)) [[likely]] return MPI_SUCCESS;
  return immediate_receive_fully(address, count, type, rank, tag, comm, out);
}

int persistent_receive(const char* call, void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::receive>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (out == nullptr) return null_argument(message.comm, call, "request");
  match::Request* request = rank == MPI_PROC_NULL ? match::engine().prepare_nothing(MPI_PROC_NULL, MPI_ANY_TAG, true)
                                                  : match::engine().prepare_receive(rank, message.comm->context, tag, message.buffer);
  request->persistent = true;
  request->active = false;
  request->done = true;
  request->owner = message.comm;
  *out = handle_of(request);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;

WEFT_API(int, Recv)(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return api::receive(buf, count, datatype, source, tag, comm, status);
}
WEFT_API(int, Recv_c)(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return api::receive(buf, count, datatype, source, tag, comm, status);
}
WEFT_API(int, Irecv)(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return api::immediate_receive(buf, count, datatype, source, tag, comm, request);
}
WEFT_API(int, Irecv_c)(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return api::immediate_receive(buf, count, datatype, source, tag, comm, request);
}
WEFT_API(int, Recv_init)(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return api::persistent_receive("MPI_Recv_init", buf, count, datatype, source, tag, comm, request);
}
WEFT_API(int, Recv_init_c)(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return api::persistent_receive("MPI_Recv_init_c", buf, count, datatype, source, tag, comm, request);
}
