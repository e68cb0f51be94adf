// MPI_Send and its kin: blocking, immediate and persistent, in each mode.
#include "api/message.hpp"
#include "comm/buffered.hpp"

namespace weft::api {
namespace {

using match::SendMode;

// The one-step way of a few bytes. Everything else, bad arguments too, goes the full way with the arguments as they came,
// or as bytes of the same meaning, so that this way needs no stack: it is a leaf, and its length is a budget (tests/perf).
[[gnu::always_inline]] inline bool leave_now(const void* address, std::int64_t& count, MPI_Datatype& type, int rank, int tag, MPI_Comm comm) {
  if (os::runtime_state != 0) [[unlikely]] return false;
  const comm::Communicator* c = plain_message(address, count, type, rank, tag, comm);
  if (c == nullptr) [[unlikely]] return false;
  return match::engine().send_now(c->peers[rank], [c, tag] { return match::Key{c->context, c->rank, tag}; }, address, static_cast<std::size_t>(count));
}

template <SendMode mode>
constexpr const char* blocking_name = mode == SendMode::standard ? "MPI_Send" : mode == SendMode::synchronous ? "MPI_Ssend" : "MPI_Rsend";
template <SendMode mode>
constexpr const char* immediate_name = mode == SendMode::standard ? "MPI_Isend" : mode == SendMode::synchronous ? "MPI_Issend" : "MPI_Irsend";

template <SendMode mode>
[[gnu::noinline]] int send_fully(const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  constexpr const char* call = blocking_name<mode>;
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::send>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  const comm::Communicator& c = *message.comm;
  match::Request* request = match::engine().post_send(message.peer_world_rank, c.context, c.rank, tag, message.buffer, mode);
  if (request == match::completed_send()) return MPI_SUCCESS;
  match::engine().wait(*request);
  const Status status = request->status;
  request->release();
  return status == Status::ok ? MPI_SUCCESS : raise_transfer(message.comm, call, status, 0, 0);
}

template <SendMode mode>
[[gnu::always_inline]] inline int send(const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  if (mode != SendMode::synchronous && leave_now(address, count, type, rank, tag, comm)) [[likely]] return MPI_SUCCESS;
  return send_fully<mode>(address, count, type, rank, tag, comm);
}

template <SendMode mode>
[[gnu::noinline]] int immediate_send_fully(const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  constexpr const char* call = immediate_name<mode>;
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::send>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (out == nullptr) return null_argument(message.comm, call, "request");
  match::Request* request = match::completed_send();
  if (rank != MPI_PROC_NULL) {
    const comm::Communicator& c = *message.comm;
    request = match::engine().post_send(message.peer_world_rank, c.context, c.rank, tag, message.buffer, mode);
    if (request != match::completed_send()) request->owner = &c;
  }
  *out = handle_of(request);
  return MPI_SUCCESS;
}

template <SendMode mode>
[[gnu::always_inline]] inline int immediate_send(const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  if (mode != SendMode::synchronous && out != nullptr && leave_now(address, count, type, rank, tag, comm)) [[likely]] {
    *out = handle_of(match::completed_send());
    return MPI_SUCCESS;
  }
  return immediate_send_fully<mode>(address, count, type, rank, tag, comm, out);
}

template <SendMode mode>
int persistent_send(const char* call, const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::send>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (out == nullptr) return null_argument(message.comm, call, "request");
  const comm::Communicator& c = *message.comm;
  match::Request* request = rank == MPI_PROC_NULL
                                ? match::engine().prepare_nothing(match::any_source, match::any_tag, false)
                                : match::engine().prepare_send(message.peer_world_rank, c.context, c.rank, tag, message.buffer, mode);
  request->persistent = true;
  request->active = false;
  request->done = true;
  request->owner = &c;
  *out = handle_of(request);
  return MPI_SUCCESS;
}

// ---- buffered: the program's buffer takes the message when it cannot leave at once

int buffered(const char* call, const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::send>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  const comm::Communicator& c = *message.comm;
  return comm::buffered_send(message.peer_world_rank, c, tag, message.buffer) == Status::ok ? MPI_SUCCESS : raise_buffer_full(c, call, message.buffer);
}

int immediate_buffered(const char* call, const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  if (out == nullptr) return null_argument(nullptr, call, "request");
  const int code = buffered(call, address, count, type, rank, tag, comm);
  if (code == MPI_SUCCESS) *out = handle_of(match::completed_send());
  return code;
}

int persistent_buffered(const char* call, const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* out) {
  const Guard guard(call);
  Message message;
  if (const int code = check_message<Direction::send>(call, address, count, type, rank, tag, comm, message); code != MPI_SUCCESS) return code;
  if (out == nullptr) return null_argument(message.comm, call, "request");
  match::Request* request = rank == MPI_PROC_NULL ? match::engine().prepare_nothing(match::any_source, match::any_tag, false)
                                                  : comm::prepare_buffered_send(message.peer_world_rank, *message.comm, tag, message.buffer);
  request->persistent = true;
  request->active = false;
  request->done = true;
  request->owner = message.comm;
  *out = handle_of(request);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

using weft::match::SendMode;
namespace api = weft::api;

#define WEFT_SEND(name, function)                                                                                                  \
  WEFT_API(int, name)(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {                       \
    return api::function("MPI_" #name, buf, count, datatype, dest, tag, comm);                                                     \
  }                                                                                                                                \
  WEFT_API(int, name##_c)(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {             \
    return api::function("MPI_" #name "_c", buf, count, datatype, dest, tag, comm);                                                \
  }
#define WEFT_REQUEST_SEND(name, function)                                                                                          \
  WEFT_API(int, name)(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) { \
    return api::function("MPI_" #name, buf, count, datatype, dest, tag, comm, request);                                            \
  }                                                                                                                                \
  WEFT_API(int, name##_c)(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) { \
    return api::function("MPI_" #name "_c", buf, count, datatype, dest, tag, comm, request);                                       \
  }

#define WEFT_HOT_SEND(name, immediate, mode)                                                                                                  \
  WEFT_API(int, name)(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {                       \
    return api::send<SendMode::mode>(buf, count, datatype, dest, tag, comm);                                                       \
  }                                                                                                                                \
  WEFT_API(int, name##_c)(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {             \
    return api::send<SendMode::mode>(buf, count, datatype, dest, tag, comm);                                                       \
  }                                                                                                                                \
  WEFT_API(int, immediate)(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) { \
    return api::immediate_send<SendMode::mode>(buf, count, datatype, dest, tag, comm, request);                                    \
  }                                                                                                                                \
  WEFT_API(int, immediate##_c)(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) { \
    return api::immediate_send<SendMode::mode>(buf, count, datatype, dest, tag, comm, request);                                    \
  }
WEFT_HOT_SEND(Send, Isend, standard)
WEFT_HOT_SEND(Ssend, Issend, synchronous)
WEFT_HOT_SEND(Rsend, Irsend, ready)
WEFT_SEND(Bsend, buffered)
WEFT_REQUEST_SEND(Ibsend, immediate_buffered)
WEFT_REQUEST_SEND(Send_init, persistent_send<SendMode::standard>)
WEFT_REQUEST_SEND(Ssend_init, persistent_send<SendMode::synchronous>)
WEFT_REQUEST_SEND(Rsend_init, persistent_send<SendMode::ready>)
WEFT_REQUEST_SEND(Bsend_init, persistent_buffered)
