// Which of a message's arguments is wrong, and how.
#include "api/message.hpp"

#include <fmt/format.h>

namespace weft::api {

int bad_buffer(const comm::Communicator* on, const char* call, const void* address, std::int64_t count, MPI_Datatype type) {
  const data::Datatype* datatype = api::datatype(type);
  if (datatype == nullptr) return bad_datatype(call, type, on);
  if (count < 0) return bad_count(on, call, count);
  if (!datatype->committed) return raise(on, MPI_ERR_TYPE, call, "datatype", "a type that was not committed", "a committed datatype");
  if (!good_buffer(address, count, datatype)) return raise(on, MPI_ERR_BUFFER, call, "buf", address, fmt::format("an address, for a count of {}", count));
  return MPI_SUCCESS;
}

int bad_message(const char* call, const void* address, std::int64_t count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                Direction direction) {
  const comm::Communicator* communicator = api::communicator(comm);
  if (communicator == nullptr) return bad_communicator(call, comm);
  if (count < 0) return bad_count(communicator, call, count);
  if (const int code = bad_buffer(communicator, call, address, count, type); code != MPI_SUCCESS) return code;
  if (!good_rank(*communicator, rank, direction)) return bad_rank(communicator, call, direction == Direction::send ? "dest" : "source", rank);
  return bad_tag(communicator, call, tag);
}

int raise_transfer(const comm::Communicator* on, const char* call, Status status, std::size_t sent_bytes, std::size_t room_bytes) {
  if (status == Status::truncated)
    return raise_text(on, MPI_ERR_TRUNCATE, call, fmt::format("the message has {} bytes, the receive buffer has room for {}", sent_bytes, room_bytes));
  return raise_status(on, status, call);
}

}  // namespace weft::api
