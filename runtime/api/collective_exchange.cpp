// MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw: their arguments.
#include <vector>

#include "api/collective.hpp"

namespace weft::api {
namespace {

template <class Count>
int alltoall(Frame& frame, const void* send, Count send_count, MPI_Datatype send_type, void* receive, Count receive_count, MPI_Datatype receive_type) {
  coll::Call& call = frame.call;
  const std::int64_t ranks = frame.comm->size;
  call.in_place = send == MPI_IN_PLACE;
  if (!call.in_place) {
    call.send = send;
    call.send_count = send_count;
    if (const int code = take_buffer(frame, "sendbuf", send, send_count, send_type, call.send_type); code != MPI_SUCCESS) return code;
  }
  call.receive = receive;
  call.receive_count = receive_count;
  if (const int code = take_buffer(frame, "recvbuf", receive, receive_count, receive_type, call.receive_type); code != MPI_SUCCESS) return code;
  if (!call.in_place && meet(send, send_count * ranks, call.send_type, receive, receive_count * ranks, call.receive_type)) return aliased(frame, send);
  return MPI_SUCCESS;
}

template <class Count, class Displacement>
int check_blocks(Frame& frame, const Count* counts, const Displacement* displacements, std::int64_t& most) {
  if (counts == nullptr) return null_argument(frame.comm, frame.name, "counts");
  if (displacements == nullptr) return null_argument(frame.comm, frame.name, "displs");
  most = 0;
  for (int rank = 0; rank < frame.comm->size; ++rank) {
    if (counts[rank] < 0) return bad_count(frame.comm, frame.name, counts[rank]);
    if (counts[rank] > most) most = counts[rank];
  }
  return MPI_SUCCESS;
}

template <class Count, class Displacement>
int take_side(Frame& frame, const char* argument, const void* address, const Count* counts, const Displacement* displacements, MPI_Datatype type,
              const data::Datatype*& known) {
  std::int64_t most = 0;
  if (const int code = check_blocks(frame, counts, displacements, most); code != MPI_SUCCESS) return code;
  if (most == 0 && type == MPI_DATATYPE_NULL) type = MPI_BYTE;
  return take_buffer(frame, argument, address, most, type, known);
}

template <class Count, class Displacement>
int alltoallv(Frame& frame, const void* send, const Count* send_counts, const Displacement* send_displacements, MPI_Datatype send_type,
              void* receive, const Count* receive_counts, const Displacement* receive_displacements, MPI_Datatype receive_type) {
  coll::Call& call = frame.call;
  call.in_place = send == MPI_IN_PLACE;
  if (const int code = take_side(frame, "recvbuf", receive, receive_counts, receive_displacements, receive_type, call.receive_type); code != MPI_SUCCESS)
    return code;
  call.receive = receive;
  call.receive_counts = integers(receive_counts);
  call.receive_displacements = integers(receive_displacements);
  if (call.in_place) return MPI_SUCCESS;
  if (const int code = take_side(frame, "sendbuf", send, send_counts, send_displacements, send_type, call.send_type); code != MPI_SUCCESS) return code;
  call.send = send;
  call.send_counts = integers(send_counts);
  call.send_displacements = integers(send_displacements);
  if (send == nullptr || receive == nullptr) return MPI_SUCCESS;
  const int self = frame.comm->rank;
  const char* leaving = static_cast<const char*>(send) + send_displacements[self] * call.send_type->extent;
  const char* coming = static_cast<const char*>(receive) + receive_displacements[self] * call.receive_type->extent;
  return meet(leaving, send_counts[self], call.send_type, coming, receive_counts[self], call.receive_type) ? aliased(frame, send) : MPI_SUCCESS;
}

// Types of alltoallw; null handles count as bytes where there is nothing to move. Lives until the next call: the engine
// copies what it keeps.
template <class Count>
int take_types(Frame& frame, const char* argument, const void* address, const Count* counts, const MPI_Datatype* handles,
               std::vector<const data::Datatype*>& types) {
  if (handles == nullptr) return null_argument(frame.comm, frame.name, "types");
  types.assign(static_cast<std::size_t>(frame.comm->size), nullptr);
  for (int rank = 0; rank < frame.comm->size; ++rank) {
    const MPI_Datatype handle = counts[rank] == 0 && handles[rank] == MPI_DATATYPE_NULL ? MPI_BYTE : handles[rank];
    const std::int64_t count = address == MPI_BOTTOM ? 0 : std::int64_t{counts[rank]};      // displacements may be addresses
    if (const int code = take_buffer(frame, argument, address, count, handle, types[static_cast<std::size_t>(rank)]); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

template <class Count, class Displacement>
int alltoallw(Frame& frame, const void* send, const Count* send_counts, const Displacement* send_displacements, const MPI_Datatype* send_types,
              void* receive, const Count* receive_counts, const Displacement* receive_displacements, const MPI_Datatype* receive_types) {
  static std::vector<const data::Datatype*> sent, received;                                   // under the runtime lock
  coll::Call& call = frame.call;
  std::int64_t most = 0;
  call.in_place = send == MPI_IN_PLACE;
  if (const int code = check_blocks(frame, receive_counts, receive_displacements, most); code != MPI_SUCCESS) return code;
  if (const int code = take_types(frame, "recvbuf", receive, receive_counts, receive_types, received); code != MPI_SUCCESS) return code;
  call.receive = receive;
  call.receive_counts = integers(receive_counts);
  call.receive_displacements = integers(receive_displacements);
  call.receive_types = received.data();
  if (call.in_place) return MPI_SUCCESS;
  if (const int code = check_blocks(frame, send_counts, send_displacements, most); code != MPI_SUCCESS) return code;
  if (const int code = take_types(frame, "sendbuf", send, send_counts, send_types, sent); code != MPI_SUCCESS) return code;
  call.send = send;
  call.send_counts = integers(send_counts);
  call.send_displacements = integers(send_displacements);
  call.send_types = sent.data();
  if (send == nullptr || receive == nullptr) return MPI_SUCCESS;
  const int self = frame.comm->rank;
  const char* leaving = static_cast<const char*>(send) + send_displacements[self];
  const char* coming = static_cast<const char*>(receive) + receive_displacements[self];
  return meet(leaving, send_counts[self], call.send_types[self], coming, receive_counts[self], call.receive_types[self]) ? aliased(frame, send) : MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

#define ALLTOALL(count, displacement) \
  const void *sendbuf, count sendcount, MPI_Datatype sendtype, void *recvbuf, count recvcount, MPI_Datatype recvtype
#define ALLTOALLV(count, displacement)                                                                                   \
  const void *sendbuf, const count sendcounts[], const displacement sdispls[], MPI_Datatype sendtype, void *recvbuf,      \
      const count recvcounts[], const displacement rdispls[], MPI_Datatype recvtype
#define ALLTOALLW(count, displacement)                                                                                   \
  const void *sendbuf, const count sendcounts[], const displacement sdispls[], const MPI_Datatype sendtypes[],            \
      void *recvbuf, const count recvcounts[], const displacement rdispls[], const MPI_Datatype recvtypes[]

WEFT_COLLECTIVE(Alltoall, Ialltoall, alltoall, alltoall, ALLTOALL, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
WEFT_COLLECTIVE(Alltoallv, Ialltoallv, alltoallv, alltoallv, ALLTOALLV,
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype)
WEFT_COLLECTIVE(Alltoallw, Ialltoallw, alltoallw, alltoallw, ALLTOALLW,
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes)
