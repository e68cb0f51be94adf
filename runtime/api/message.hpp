// The arguments that all point-to-point calls share, checked once. On the good way this costs a handful of predictable
// branches; each bad value is named by message.cpp.
#pragma once

#include <mpi.h>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/status.hpp"

namespace weft::api {

enum class Direction : std::uint8_t { send, receive };

struct Message {
  const comm::Communicator* comm;
  match::TypedBuffer buffer;
  int peer_world_rank;          // any_source and MPI_PROC_NULL stay what they are
};

// Says what is wrong with the arguments; they are known to be wrong.
[[gnu::cold]] int bad_message(const char* call, const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag,
                              MPI_Comm comm, Direction direction);
[[gnu::cold]] int bad_buffer(const comm::Communicator* on, const char* call, const void* address, std::int64_t count, MPI_Datatype type);

// An address, or null where no byte is moved or the type carries addresses (MPI_BOTTOM).
inline bool good_buffer(const void* address, std::int64_t count, const data::Datatype* type) noexcept {
  return address != nullptr || count == 0 || !type->predefined();
}

inline bool good_rank(const comm::Communicator& comm, int rank, Direction direction) noexcept {
  return comm.has_rank(rank) || rank == MPI_PROC_NULL || (direction == Direction::receive && rank == MPI_ANY_SOURCE);
}

// Fills `message`, or raises and answers the error.
template <Direction direction>
[[gnu::always_inline]] inline int check_message(const char* call, const void* address, std::int64_t count, MPI_Datatype type, int rank,
                                                int tag, MPI_Comm comm, Message& message) {
  const comm::Communicator* communicator = api::communicator(comm);
  const data::Datatype* datatype = api::datatype(type);
  // Programs name no type where nothing goes to nobody.
  if (datatype == nullptr && type == MPI_DATATYPE_NULL && count == 0 && rank == MPI_PROC_NULL) [[unlikely]] datatype = data::predefined(data::number::byte);
  if (communicator == nullptr || datatype == nullptr || count < 0 || !datatype->committed || !good_rank(*communicator, rank, direction) ||
      (tag < 0 && !(direction == Direction::receive && tag == MPI_ANY_TAG)) || !good_buffer(address, count, datatype)) [[unlikely]]
    return bad_message(call, address, count, type, rank, tag, comm, direction);
  message.comm = communicator;
  message.buffer = {const_cast<void*>(address), count, datatype};
  message.peer_world_rank = rank >= 0 ? communicator->peers[rank] : rank;
  return MPI_SUCCESS;
}

// What the short ways of sending and receiving go by: a live communicator, a rank of it, one run of memory; null for anything
// else, wrong or only less plain. Turns count and type into bytes of the same meaning.
[[gnu::always_inline]] inline const comm::Communicator* plain_message(const void* address, std::int64_t& count, MPI_Datatype& type, int rank, int tag,
                                                                      MPI_Comm comm) {
  const comm::Communicator* c = live_communicator(comm);
  if (c == nullptr) [[unlikely]] return nullptr;
  const data::Datatype& datatype = live_datatype(type);
  if (address == nullptr || !datatype.contiguous || !c->has_rank(rank) || (count | tag) < 0) [[unlikely]] return nullptr;
  count *= datatype.size;
  type = MPI_BYTE;
  return c;
}

// A transfer that failed: the class of its status, with both sizes where a message was too long.
[[gnu::cold]] int raise_transfer(const comm::Communicator* on, const char* call, Status status, std::size_t sent_bytes, std::size_t room_bytes);

// A buffered send found no room: says how much there is.
[[gnu::cold]] int raise_buffer_full(const comm::Communicator& comm, const char* call, const match::TypedBuffer& buffer);

}  // namespace weft::api
