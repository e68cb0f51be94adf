// MPI_Sendrecv and its kin: the receive is posted first, so that two ranks that exchange cannot wait for each other.
#include "api/message.hpp"

#include <cstdlib>

#include "comm/paired.hpp"

namespace weft::api {
namespace {

using match::SendMode;

struct Exchange {
  Message out;
  Message in;
  int dest, sendtag, source, recvtag;
};

match::Request* post_receive(const Exchange& exchange) {
  if (exchange.source == MPI_PROC_NULL) return match::completed_receive();
  return match::engine().post_receive(exchange.source, exchange.in.comm->context, exchange.recvtag, exchange.in.buffer);
}

match::Request* post_send(const Exchange& exchange) {
  if (exchange.dest == MPI_PROC_NULL) return match::completed_send();
  const comm::Communicator& c = *exchange.out.comm;
  return match::engine().post_send(exchange.out.peer_world_rank, c.context, c.rank, exchange.sendtag, exchange.out.buffer, SendMode::standard);
}

int run(const char* call, const Exchange& exchange, MPI_Status* status) {
  match::Request* receive = post_receive(exchange);
  match::Request* send = post_send(exchange);
  match::engine().wait(*send);
  match::engine().wait(*receive);
  set_status(status, *receive);
  const Status outcome = receive->status != Status::ok ? receive->status : send->status;
  const std::size_t bytes = receive->bytes, room = receive->limit_bytes;
  send->release();
  receive->release();
  return outcome == Status::ok ? MPI_SUCCESS : raise_transfer(exchange.in.comm, call, outcome, bytes, room);
}

int check(const char* call, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, Exchange& exchange) {
  const int code = check_message<Direction::send>(call, sendbuf, sendcount, sendtype, exchange.dest, exchange.sendtag, comm, exchange.out);
  if (code != MPI_SUCCESS) return code;
  return check_message<Direction::receive>(call, recvbuf, recvcount, recvtype, exchange.source, exchange.recvtag, comm, exchange.in);
}

// What leaves is packed away first: the buffer receives while it sends.
int pack_away(const char* call, Exchange& exchange, void*& scratch) {
  const match::TypedBuffer& buffer = exchange.out.buffer;
  const auto bytes = static_cast<std::int64_t>(buffer.bytes());
  scratch = std::malloc(static_cast<std::size_t>(bytes) + 1);
  if (scratch == nullptr) return raise_status(exchange.out.comm, Status::no_memory, call);
  data::pack(buffer.type, buffer.address, buffer.count, 0, scratch, bytes);
  exchange.out.buffer = {scratch, bytes, data::predefined(data::number::byte)};
  return MPI_SUCCESS;
}

int sendrecv(const char* call, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
             std::int64_t recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  const Guard guard(call);
  Exchange exchange{{}, {}, dest, sendtag, source, recvtag};
  if (const int code = check(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, exchange); code != MPI_SUCCESS) return code;
  return run(call, exchange, status);
}

int sendrecv_replace(const char* call, void* buf, std::int64_t count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status* status) {
  const Guard guard(call);
  Exchange exchange{{}, {}, dest, sendtag, source, recvtag};
  if (const int code = check(call, buf, count, type, buf, count, type, comm, exchange); code != MPI_SUCCESS) return code;
  void* scratch = nullptr;
  if (const int code = pack_away(call, exchange, scratch); code != MPI_SUCCESS) return code;
  const int code = run(call, exchange, status);
  std::free(scratch);
  return code;
}

int immediate(const char* call, const Exchange& exchange, void* scratch, MPI_Request* request) {
  if (request == nullptr) return null_argument(exchange.in.comm, call, "request");
  match::Request* receive = post_receive(exchange);
  *request = handle_of(comm::pair(post_send(exchange), receive, scratch, exchange.in.comm));
  return MPI_SUCCESS;
}

int isendrecv(const char* call, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
              std::int64_t recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  const Guard guard(call);
  Exchange exchange{{}, {}, dest, sendtag, source, recvtag};
  if (const int code = check(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, exchange); code != MPI_SUCCESS) return code;
  return immediate(call, exchange, nullptr, request);
}

int isendrecv_replace(const char* call, void* buf, std::int64_t count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                      MPI_Comm comm, MPI_Request* request) {
  const Guard guard(call);
  Exchange exchange{{}, {}, dest, sendtag, source, recvtag};
  if (const int code = check(call, buf, count, type, buf, count, type, comm, exchange); code != MPI_SUCCESS) return code;
  void* scratch = nullptr;
  if (const int code = pack_away(call, exchange, scratch); code != MPI_SUCCESS) return code;
  return immediate(call, exchange, scratch, request);
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;

#define WEFT_SENDRECV(Count, suffix)                                                                                                 \
  WEFT_API(int, Sendrecv##suffix)(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, \
                                  Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) { \
    return api::sendrecv("MPI_Sendrecv" #suffix, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,  \
                         recvtag, comm, status);                                                                                     \
  }                                                                                                                                  \
  WEFT_API(int, Sendrecv_replace##suffix)(void* buf, Count count, MPI_Datatype datatype, int dest, int sendtag, int source,          \
                                          int recvtag, MPI_Comm comm, MPI_Status* status) {                                          \
    return api::sendrecv_replace("MPI_Sendrecv_replace" #suffix, buf, count, datatype, dest, sendtag, source, recvtag, comm, status); \
  }                                                                                                                                  \
  WEFT_API(int, Isendrecv##suffix)(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, \
                                   Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) { \
    return api::isendrecv("MPI_Isendrecv" #suffix, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,        \
                          source, recvtag, comm, request);                                                                           \
  }                                                                                                                                  \
  WEFT_API(int, Isendrecv_replace##suffix)(void* buf, Count count, MPI_Datatype datatype, int dest, int sendtag, int source,         \
                                           int recvtag, MPI_Comm comm, MPI_Request* request) {                                       \
    return api::isendrecv_replace("MPI_Isendrecv_replace" #suffix, buf, count, datatype, dest, sendtag, source, recvtag, comm, request); \
  }
WEFT_SENDRECV(int, )
WEFT_SENDRECV(MPI_Count, _c)
