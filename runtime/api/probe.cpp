// Probing, and receiving what a matched probe took.
#include "api/message.hpp"

namespace weft::api {
namespace {

int check_probe(const char* call, int source, int tag, MPI_Comm comm, const comm::Communicator*& out) {
  out = communicator(comm);
  if (out == nullptr) return bad_communicator(call, comm);
  if (!good_rank(*out, source, Direction::receive)) return bad_rank(out, call, "source", source);
  if (tag < 0 && tag != MPI_ANY_TAG) return bad_tag(out, call, tag);
  return MPI_SUCCESS;
}

void set_found(MPI_Status* status, const match::Unexpected& message) noexcept {
  set_status(status, message.key.source, message.key.tag, message.message_bytes());
}

int probe(const char* call, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Guard guard(call);
  const comm::Communicator* c = nullptr;
  if (const int code = check_probe(call, source, tag, comm, c); code != MPI_SUCCESS) return code;
  if (source == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  const match::Unexpected* found = nullptr;
  match::engine().wait_until([&] { return (found = match::engine().find(source, c->context, tag)) != nullptr; });
  set_found(status, *found);
  return MPI_SUCCESS;
}

int iprobe(const char* call, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Guard guard(call);
  const comm::Communicator* c = nullptr;
  if (const int code = check_probe(call, source, tag, comm, c); code != MPI_SUCCESS) return code;
  if (flag == nullptr) return null_argument(c, call, "flag");
  if (source == MPI_PROC_NULL) {
    *flag = 1;
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  match::Engine& engine = match::engine();
  const match::Unexpected* found = engine.find(source, c->context, tag);
  if (found == nullptr && engine.glance()) found = engine.find(source, c->context, tag);
  *flag = found != nullptr;
  if (found != nullptr) set_found(status, *found);
  return MPI_SUCCESS;
}

// ---- matched probes. The message leaves matching; only MPI_Mrecv with its handle can receive it.

MPI_Message handle_of(match::Unexpected* message) noexcept { return reinterpret_cast<MPI_Message>(message); }

int mprobe(const char* call, int source, int tag, MPI_Comm comm, bool blocking, int* flag, MPI_Message* message, MPI_Status* status) {
  const Guard guard(call);
  const comm::Communicator* c = nullptr;
  if (const int code = check_probe(call, source, tag, comm, c); code != MPI_SUCCESS) return code;
  if (message == nullptr) return null_argument(c, call, "message");
  if (flag == nullptr) return null_argument(c, call, "flag");
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  match::Engine& engine = match::engine();
  match::Unexpected* found = engine.take(source, c->context, tag);
  if (found == nullptr && blocking) engine.wait_until([&] { return (found = engine.take(source, c->context, tag)) != nullptr; });
  else if (found == nullptr && engine.glance()) found = engine.take(source, c->context, tag);
  *flag = found != nullptr;
  *message = found != nullptr ? handle_of(found) : MPI_MESSAGE_NULL;
  if (found != nullptr) set_found(status, *found);
  return MPI_SUCCESS;
}

// Starts the receive of a taken message and clears the handle. `request` is null when an error was raised.
int post_taken(const char* call, void* address, std::int64_t count, MPI_Datatype type, MPI_Message* message, match::Request*& request) {
  request = nullptr;
  if (message == nullptr) return null_argument(nullptr, call, "message");
  if (const int code = bad_buffer(nullptr, call, address, count, type); code != MPI_SUCCESS) return code;
  if (*message == MPI_MESSAGE_NO_PROC) {
    request = match::completed_receive();
  } else {
    auto* taken = number_of(*message) >= first_address ? object<match::Unexpected>(*message) : nullptr;
    if (taken == nullptr) return raise(nullptr, MPI_ERR_REQUEST, call, "message", *message, "a message from a matched probe");
    request = match::engine().receive_taken(taken, {address, count, datatype(type)});
    request->owner = comm::world();
  }
  *message = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

int mrecv(const char* call, void* address, std::int64_t count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const Guard guard(call);
  match::Request* request = nullptr;
  if (const int code = post_taken(call, address, count, type, message, request); code != MPI_SUCCESS) return code;
  match::engine().wait(*request);
  set_status(status, *request);
  const Status outcome = request->status;
  const std::size_t bytes = request->bytes, room = request->limit_bytes;
  request->release();
  return outcome == Status::ok ? MPI_SUCCESS : raise_transfer(nullptr, call, outcome, bytes, room);
}

int imrecv(const char* call, void* address, std::int64_t count, MPI_Datatype type, MPI_Message* message, MPI_Request* out) {
  const Guard guard(call);
  if (out == nullptr) return null_argument(nullptr, call, "request");
  match::Request* request = nullptr;
  if (const int code = post_taken(call, address, count, type, message, request); code != MPI_SUCCESS) return code;
  *out = api::handle_of(request);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;

WEFT_API(int, Probe)(int source, int tag, MPI_Comm comm, MPI_Status* status) { return api::probe("MPI_Probe", source, tag, comm, status); }
WEFT_API(int, Iprobe)(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return api::iprobe("MPI_Iprobe", source, tag, comm, flag, status);
}
WEFT_API(int, Mprobe)(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  int flag = 0;
  return api::mprobe("MPI_Mprobe", source, tag, comm, true, &flag, message, status);
}
WEFT_API(int, Improbe)(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return api::mprobe("MPI_Improbe", source, tag, comm, false, flag, message, status);
}
WEFT_API(int, Mrecv)(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return api::mrecv("MPI_Mrecv", buf, count, datatype, message, status);
}
WEFT_API(int, Mrecv_c)(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return api::mrecv("MPI_Mrecv_c", buf, count, datatype, message, status);
}
WEFT_API(int, Imrecv)(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return api::imrecv("MPI_Imrecv", buf, count, datatype, message, request);
}
WEFT_API(int, Imrecv_c)(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return api::imrecv("MPI_Imrecv_c", buf, count, datatype, message, request);
}
