// MPI_Recv, MPI_Irecv, MPI_Recv_init, and the calls that send and receive in one.
#include "api/message.hpp"

namespace weft::api {
namespace {

using match::SendMode;

[[gnu::noinline]] int receive_fully(const char* call, void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                                    MPI_Status* status) {
  Message message;
  if (const int code = check_message<Direction::receive>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (rank == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  match::Request* request = match::engine().post_receive(rank, message.comm->context, tag, message.buffer);
  match::engine().wait(*request);
  set_status(status, *request);
  const Status outcome = request->status;
  const std::size_t bytes = request->bytes, room = request->limit_bytes;
  request->release();
  return outcome == Status::ok ? MPI_SUCCESS : raise_transfer(message.comm, call, outcome, bytes, room);
}

// One step for a message that is the next to come from its source, into bytes in a row; anything else goes the full way.
[[gnu::always_inline]] inline int receive(const char* call, void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                                          MPI_Status* status) {
  const Guard guard(call);
  const comm::Communicator* c = communicator(comm);
  const data::Datatype* datatype = api::datatype(type);
  if (c != nullptr && datatype != nullptr && address != nullptr && datatype->contiguous && c->has_rank(rank) && (count | tag) >= 0) [[likely]] {
    const auto room = static_cast<std::size_t>(count * datatype->size);
    const std::int64_t bytes = match::engine().receive_now(c->peers[rank], {c->context, rank, tag}, address, room);
    if (bytes >= 0) [[likely]] {
      const bool fits = static_cast<std::size_t>(bytes) <= room;
      set_status(status, rank, tag, fits ? static_cast<std::size_t>(bytes) : room);
      return fits ? MPI_SUCCESS : raise_transfer(c, call, Status::truncated, static_cast<std::size_t>(bytes), room);
    }
  }
  return receive_fully(call, address, count, type, rank, tag, comm, status);
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
