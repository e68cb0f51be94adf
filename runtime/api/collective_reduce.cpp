// MPI_Barrier, MPI_Bcast, and the reductions: their arguments.
#include "api/collective.hpp"

namespace weft::api {
namespace {

template <class Count>
int broadcast(Frame& frame, void* buffer, Count count, MPI_Datatype type, int root) {
  coll::Call& call = frame.call;
  if (const int code = take_root(frame, root); code != MPI_SUCCESS) [[unlikely]] return code;
  call.receive = buffer;
  call.receive_count = count;
  return take_buffer(frame, "buffer", buffer, count, type, call.receive_type);
}

// The two buffers of a reduction of `sent` elements to `received`. A rank without a result passes a null receive buffer.
int take_reduction(Frame& frame, const void* send, void* receive, std::int64_t sent, std::int64_t received, MPI_Datatype type, MPI_Op op,
                   bool has_result) {
  coll::Call& call = frame.call;
  call.in_place = send == MPI_IN_PLACE && has_result;
  if (!call.in_place)
    if (const int code = take_buffer(frame, "sendbuf", send, sent, type, call.receive_type); code != MPI_SUCCESS) [[unlikely]] return code;
  if (has_result)
    if (const int code = take_buffer(frame, "recvbuf", receive, call.in_place ? sent : received, type, call.receive_type); code != MPI_SUCCESS) [[unlikely]]
      return code;
  call.send = call.in_place ? nullptr : send;
  call.receive = has_result ? receive : nullptr;
  if (has_result && !call.in_place && meet(send, sent, call.receive_type, receive, received, call.receive_type)) [[unlikely]]
    return aliased(frame, send);
  return take_operation(frame, type, op);
}

template <class Count>
int reduce(Frame& frame, const void* send, void* receive, Count count, MPI_Datatype type, MPI_Op op, int root) {
  if (const int code = take_root(frame, root); code != MPI_SUCCESS) [[unlikely]] return code;
  frame.call.receive_count = count;
  return take_reduction(frame, send, receive, count, count, type, op, frame.comm->rank == root);
}

template <class Count>
int reduce_all(Frame& frame, const void* send, void* receive, Count count, MPI_Datatype type, MPI_Op op) {
  frame.call.receive_count = count;
  return take_reduction(frame, send, receive, count, count, type, op, true);
}

template <class Count>
int reduce_scatter_block(Frame& frame, const void* send, void* receive, Count count, MPI_Datatype type, MPI_Op op) {
  frame.call.receive_count = count;
  return take_reduction(frame, send, receive, std::int64_t{count} * frame.comm->size, count, type, op, true);
}

template <class Count>
int reduce_scatter(Frame& frame, const void* send, void* receive, const Count* counts, MPI_Datatype type, MPI_Op op) {
  if (counts == nullptr) return null_argument(frame.comm, frame.name, "recvcounts");
  std::int64_t sum = 0;
  for (int rank = 0; rank < frame.comm->size; ++rank) {
    if (counts[rank] < 0) return bad_count(frame.comm, frame.name, counts[rank]);
    sum += counts[rank];
  }
  frame.call.receive_counts = integers(counts);
  frame.call.receive_count = counts[frame.comm->rank];
  return take_reduction(frame, send, receive, sum, counts[frame.comm->rank], type, op, true);
}

int barrier(Frame&) { return MPI_SUCCESS; }

}  // namespace
}  // namespace weft::api

namespace api = weft::api;

WEFT_API(int, Barrier)(MPI_Comm comm) {
  return api::run_collective(
      "MPI_Barrier", comm, weft::coll::Collective::barrier,
      [](weft::comm::Communicator& c) { return api::quick_barrier(c, "MPI_Barrier"); }, api::barrier);
}
WEFT_API(int, Ibarrier)(MPI_Comm comm, MPI_Request* request) {
  return api::start_collective<api::Form::immediate>("MPI_Ibarrier", comm, weft::coll::Collective::barrier, request, api::barrier);
}
WEFT_API(int, Barrier_init)(MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return api::start_collective<api::Form::persistent>("MPI_Barrier_init", comm, weft::coll::Collective::barrier, request, api::barrier);
}

#define BCAST(count, displacement) void *buffer, count n, MPI_Datatype datatype, int root
WEFT_COLLECTIVE(Bcast, Ibcast, broadcast, broadcast, BCAST, buffer, n, datatype, root)

#define REDUCE(count, displacement) const void *sendbuf, void *recvbuf, count n, MPI_Datatype datatype, MPI_Op op, int root
WEFT_COLLECTIVE(Reduce, Ireduce, reduce, reduce, REDUCE, sendbuf, recvbuf, n, datatype, op, root)

#define ALL(count, displacement) const void *sendbuf, void *recvbuf, count n, MPI_Datatype datatype, MPI_Op op
WEFT_COLLECTIVE(Allreduce, Iallreduce, allreduce, reduce_all, ALL, sendbuf, recvbuf, n, datatype, op)
WEFT_COLLECTIVE(Scan, Iscan, scan, reduce_all, ALL, sendbuf, recvbuf, n, datatype, op)
WEFT_COLLECTIVE(Exscan, Iexscan, exscan, reduce_all, ALL, sendbuf, recvbuf, n, datatype, op)
WEFT_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, reduce_scatter_block, reduce_scatter_block, ALL,
                sendbuf, recvbuf, n, datatype, op)

#define SCATTERED(count, displacement) const void *sendbuf, void *recvbuf, const count recvcounts[], MPI_Datatype datatype, MPI_Op op
WEFT_COLLECTIVE(Reduce_scatter, Ireduce_scatter, reduce_scatter, reduce_scatter, SCATTERED, sendbuf, recvbuf, recvcounts, datatype, op)
