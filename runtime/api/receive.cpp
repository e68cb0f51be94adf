// MPI_Recv, MPI_Irecv, MPI_Recv_init, and the calls that send and receive in one.
#include "api/message.hpp"

#include <cstdlib>

namespace weft::api {
namespace {

using match::SendMode;

// The slow way of a blocking receive: post, wait, read the result.
[[gnu::noinline]] int wait_receive(const comm::Communicator& comm, const char* call, match::Request* request, MPI_Status* status) {
  match::engine().wait(*request);
  set_status(status, *request);
  const Status outcome = request->status;
  const std::size_t bytes = request->bytes, room = request->limit_bytes;
  request->release();
  return outcome == Status::ok ? MPI_SUCCESS : raise_transfer(&comm, call, outcome, bytes, room);
}

[[gnu::always_inline]] inline int receive(const char* call, void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                                          MPI_Status* status) {
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::receive>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) [[unlikely]] return code;
  const comm::Communicator& c = *message.comm;
  match::Engine& engine = match::engine();
  match::Received received;
  if (rank >= 0 && engine.receive_now(rank, message.peer_world_rank, c.context, tag, message.buffer, received)) [[likely]] {
    const std::size_t room = message.buffer.bytes();
    set_status(status, received.source, received.tag, received.bytes < room ? received.bytes : room);
    if (received.status == Status::ok) [[likely]] return MPI_SUCCESS;
    return raise_transfer(&c, call, received.status, received.bytes, room);
  }
  if (rank == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  return wait_receive(c, call, engine.post_receive(rank, c.context, tag, message.buffer), status);
}

int immediate_receive(const char* call, void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::receive>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) [[unlikely]] return code;
  if (out == nullptr) [[unlikely]] return null_argument(message.comm, call, "request");
  match::Request* request = match::completed_receive();
  if (rank != MPI_PROC_NULL) {
    request = match::engine().post_receive(rank, message.comm->context, tag, message.buffer);
    request->owner = message.comm;
  }
  *out = handle_of(request);
  return MPI_SUCCESS;
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
  return api::receive("MPI_Recv", buf, count, datatype, source, tag, comm, status);
}
WEFT_API(int, Recv_c)(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return api::receive("MPI_Recv_c", buf, count, datatype, source, tag, comm, status);
}
WEFT_API(int, Irecv)(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return api::immediate_receive("MPI_Irecv", buf, count, datatype, source, tag, comm, request);
}
WEFT_API(int, Irecv_c)(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return api::immediate_receive("MPI_Irecv_c", buf, count, datatype, source, tag, comm, request);
}
WEFT_API(int, Recv_init)(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return api::persistent_receive("MPI_Recv_init", buf, count, datatype, source, tag, comm, request);
}
WEFT_API(int, Recv_init_c)(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return api::persistent_receive("MPI_Recv_init_c", buf, count, datatype, source, tag, comm, request);
}
