// MPI_Gather(v), MPI_Scatter(v), MPI_Allgather(v): their arguments.
#include "api/collective.hpp"

namespace weft::api {
namespace {

int take_send(Frame& frame, const void* address, std::int64_t count, MPI_Datatype type) {
  frame.call.send = address;
  frame.call.send_count = count;
  return take_buffer(frame, "sendbuf", address, count, type, frame.call.send_type);
}

int take_receive(Frame& frame, void* address, std::int64_t count, MPI_Datatype type) {
  frame.call.receive = address;
  frame.call.receive_count = count;
  return take_buffer(frame, "recvbuf", address, count, type, frame.call.receive_type);
}

// A buffer of one block for each rank. Without any data it may be null, and its type too.
template <class Count, class Displacement>
int take_blocks(Frame& frame, const char* argument, const void* address, const Count* counts, const Displacement* displacements,
                MPI_Datatype type, const data::Datatype*& known) {
  if (counts == nullptr) return null_argument(frame.comm, frame.name, "counts");
  if (displacements == nullptr) return null_argument(frame.comm, frame.name, "displs");
  std::int64_t most = 0;
  for (int rank = 0; rank < frame.comm->size; ++rank) {
    if (counts[rank] < 0) return bad_count(frame.comm, frame.name, counts[rank]);
    if (counts[rank] > most) most = counts[rank];
  }
  if (most == 0 && type == MPI_DATATYPE_NULL) type = MPI_BYTE;
  return take_buffer(frame, argument, address, most, type, known);
}

bool has_aliased_block(const Frame& frame, int rank) {
  const coll::Call& call = frame.call;
  if (call.in_place || call.send == nullptr || call.receive == nullptr) return false;
  const char* block = static_cast<const char*>(call.receive);
  std::int64_t count = call.receive_count;
  if (call.receive_counts) {
    block += call.receive_displacements[rank] * call.receive_type->extent;
    count = call.receive_counts[rank];
  } else if (call.collective != coll::Collective::scatter) {
    count *= frame.comm->size;
  }
  return meet(call.send, call.send_count, call.send_type, block, count, call.receive_type);
}

template <class Count>
int gather(Frame& frame, const void* send, Count send_count, MPI_Datatype send_type, void* receive, Count receive_count, MPI_Datatype receive_type,
           int root) {
  if (const int code = take_root(frame, root); code != MPI_SUCCESS) return code;
  const bool collects = frame.comm->rank == root;
  frame.call.in_place = collects && send == MPI_IN_PLACE;
  if (!frame.call.in_place)
    if (const int code = take_send(frame, send, send_count, send_type); code != MPI_SUCCESS) return code;
  if (!collects) return MPI_SUCCESS;
  if (const int code = take_receive(frame, receive, receive_count, receive_type); code != MPI_SUCCESS) return code;
  return has_aliased_block(frame, root) ? aliased(frame, send) : MPI_SUCCESS;
}

template <class Count, class Displacement>
int gatherv(Frame& frame, const void* send, Count send_count, MPI_Datatype send_type, void* receive, const Count* counts,
            const Displacement* displacements, MPI_Datatype receive_type, int root) {
  if (const int code = take_root(frame, root); code != MPI_SUCCESS) return code;
  coll::Call& call = frame.call;
  const bool collects = frame.comm->rank == root;
  call.in_place = collects && send == MPI_IN_PLACE;
  if (!call.in_place) {
    if (send_count == 0 && send_type == MPI_DATATYPE_NULL) send_type = MPI_BYTE;
    if (const int code = take_send(frame, send, send_count, send_type); code != MPI_SUCCESS) return code;
  }
  if (!collects) return MPI_SUCCESS;
  if (const int code = take_blocks(frame, "recvbuf", receive, counts, displacements, receive_type, call.receive_type); code != MPI_SUCCESS) return code;
  call.receive = receive;
  call.receive_counts = integers(counts);
  call.receive_displacements = integers(displacements);
  return has_aliased_block(frame, root) ? aliased(frame, send) : MPI_SUCCESS;
}

template <class Count>
int scatter(Frame& frame, const void* send, Count send_count, MPI_Datatype send_type, void* receive, Count receive_count, MPI_Datatype receive_type,
            int root) {
  if (const int code = take_root(frame, root); code != MPI_SUCCESS) return code;
  const bool hands_out = frame.comm->rank == root;
  frame.call.in_place = hands_out && receive == MPI_IN_PLACE;
  if (hands_out)
    if (const int code = take_send(frame, send, send_count, send_type); code != MPI_SUCCESS) return code;
  if (frame.call.in_place) return MPI_SUCCESS;
  if (const int code = take_receive(frame, receive, receive_count, receive_type); code != MPI_SUCCESS) return code;
  if (!hands_out) return MPI_SUCCESS;
  const bool meets = meet(send, std::int64_t{send_count} * frame.comm->size, frame.call.send_type, receive, receive_count, frame.call.receive_type);
  return meets ? aliased(frame, send) : MPI_SUCCESS;
}

template <class Count, class Displacement>
int scatterv(Frame& frame, const void* send, const Count* counts, const Displacement* displacements, MPI_Datatype send_type, void* receive,
             Count receive_count, MPI_Datatype receive_type, int root) {
  if (const int code = take_root(frame, root); code != MPI_SUCCESS) return code;
  coll::Call& call = frame.call;
  const bool hands_out = frame.comm->rank == root;
  call.in_place = hands_out && receive == MPI_IN_PLACE;
  if (hands_out) {
    if (const int code = take_blocks(frame, "sendbuf", send, counts, displacements, send_type, call.send_type); code != MPI_SUCCESS) return code;
    call.send = send;
    call.send_counts = integers(counts);
    call.send_displacements = integers(displacements);
  }
  if (call.in_place) return MPI_SUCCESS;
  if (receive_count == 0 && receive_type == MPI_DATATYPE_NULL) receive_type = MPI_BYTE;
  if (const int code = take_receive(frame, receive, receive_count, receive_type); code != MPI_SUCCESS) return code;
  if (!hands_out || send == nullptr) return MPI_SUCCESS;
  const char* own = static_cast<const char*>(send) + displacements[root] * call.send_type->extent;
  return meet(own, counts[root], call.send_type, receive, receive_count, call.receive_type) ? aliased(frame, send) : MPI_SUCCESS;
}

template <class Count>
int allgather(Frame& frame, const void* send, Count send_count, MPI_Datatype send_type, void* receive, Count receive_count, MPI_Datatype receive_type) {
  frame.call.in_place = send == MPI_IN_PLACE;
  if (!frame.call.in_place)
    if (const int code = take_send(frame, send, send_count, send_type); code != MPI_SUCCESS) return code;
  if (const int code = take_receive(frame, receive, receive_count, receive_type); code != MPI_SUCCESS) return code;
  return has_aliased_block(frame, frame.comm->rank) ? aliased(frame, send) : MPI_SUCCESS;
}

template <class Count, class Displacement>
int allgatherv(Frame& frame, const void* send, Count send_count, MPI_Datatype send_type, void* receive, const Count* counts,
               const Displacement* displacements, MPI_Datatype receive_type) {
  coll::Call& call = frame.call;
  call.in_place = send == MPI_IN_PLACE;
  if (!call.in_place) {
    if (send_count == 0 && send_type == MPI_DATATYPE_NULL) send_type = MPI_BYTE;
    if (const int code = take_send(frame, send, send_count, send_type); code != MPI_SUCCESS) return code;
  }
  if (const int code = take_blocks(frame, "recvbuf", receive, counts, displacements, receive_type, call.receive_type); code != MPI_SUCCESS) return code;
  call.receive = receive;
  call.receive_counts = integers(counts);
  call.receive_displacements = integers(displacements);
  return has_aliased_block(frame, frame.comm->rank) ? aliased(frame, send) : MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

#define BLOCKS(count, displacement) \
  const void *sendbuf, count sendcount, MPI_Datatype sendtype, void *recvbuf, count recvcount, MPI_Datatype recvtype
#define ROOTED(count, displacement) BLOCKS(count, displacement), int root
#define GATHERED(count, displacement)                                                                                          \
  const void *sendbuf, count sendcount, MPI_Datatype sendtype, void *recvbuf, const count recvcounts[], const displacement displs[], \
      MPI_Datatype recvtype
#define GATHERV(count, displacement) GATHERED(count, displacement), int root
#define SCATTERV(count, displacement)                                                                                          \
  const void *sendbuf, const count sendcounts[], const displacement displs[], MPI_Datatype sendtype, void *recvbuf, count recvcount, \
      MPI_Datatype recvtype, int root

WEFT_COLLECTIVE(Gather, Igather, gather, gather, ROOTED, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root)
WEFT_COLLECTIVE(Scatter, Iscatter, scatter, scatter, ROOTED, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root)
WEFT_COLLECTIVE(Allgather, Iallgather, allgather, allgather, BLOCKS, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
WEFT_COLLECTIVE(Gatherv, Igatherv, gatherv, gatherv, GATHERV, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root)
WEFT_COLLECTIVE(Allgatherv, Iallgatherv, allgatherv, allgatherv, GATHERED, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype)
WEFT_COLLECTIVE(Scatterv, Iscatterv, scatterv, scatterv, SCATTERV, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root)
