// Which argument of a collective call is wrong, and how; and what is said when one ended badly.
#include "api/collective.hpp"

#include <fmt/format.h>

#include "coll/execution.hpp"

namespace weft::api {

int bad_collective_buffer(const Frame& frame, const char* argument, const void* address, std::int64_t count, MPI_Datatype type) {
  if (address == MPI_IN_PLACE)
    return raise(frame.comm, MPI_ERR_BUFFER, frame.name, argument, "MPI_IN_PLACE", "an address: this argument of this rank can't be in place");
  if (count < 0) return bad_count(frame.comm, frame.name, count);
  const data::Datatype* known = datatype(type);
  if (known == nullptr) return bad_datatype(frame.name, type, frame.comm);
  if (!known->committed) return raise(frame.comm, MPI_ERR_TYPE, frame.name, "datatype", "a type that was not committed", "a committed datatype");
  return raise(frame.comm, MPI_ERR_BUFFER, frame.name, argument, address, fmt::format("an address, for a count of {}", count));
}

int bad_reduction(const Frame& frame, MPI_Datatype type, MPI_Op handle) {
  const data::Operation* operation =
      number_of(handle) >= first_address ? object<data::Operation>(handle) : data::predefined_operation(number_of(handle));
  if (operation == nullptr) return bad_operation(frame.name, handle, frame.comm);
  if (operation->accumulate_only())
    return raise(frame.comm, MPI_ERR_OP, frame.name, "op", operation->name, "an operation for reductions; this one is for MPI_Accumulate");
  const data::Datatype* known = datatype(type);
  return raise(frame.comm, MPI_ERR_OP, frame.name, "op", operation->name,
               fmt::format("an operation that takes {}", known->predefined() ? known->given_name : "a derived datatype: one the program made"));
}

int aliased(const Frame& frame, const void* address) {
  return raise(frame.comm, MPI_ERR_BUFFER, frame.name, "sendbuf", address, "memory apart from recvbuf; MPI_IN_PLACE says that both are one");
}

bool remember_reduction(coll::State& state, MPI_Datatype type, MPI_Op operation) {
  const data::Datatype* known_type = data::predefined(number_of(type));
  const data::Operation* known_operation = data::predefined_operation(number_of(operation));
  if (known_type == nullptr || known_operation == nullptr || !known_type->contiguous || known_operation->accumulate_only() ||
      !data::allowed(known_operation, known_type))
    return false;
  state.last = {number_of(type), number_of(operation), known_type, known_operation, data::kernel(known_operation, known_type)};
  return true;
}

int raise_ending(const char* name, const comm::Communicator& comm, const coll::Ending& ending) {
  if (ending.status == Status::truncated)
    return raise_text(&comm, MPI_ERR_TRUNCATE, name,
                      fmt::format("another rank gives {} bytes where this one expects {}", ending.bytes, ending.expected_bytes));
  if (ending.status == Status::bad_argument)
    return raise_text(&comm, MPI_ERR_OTHER, name,
                      coll::last_disagreement().empty() ? "the ranks call different collectives, or give different roots; WEFT_CHECK=1 tells more"
                                                        : coll::last_disagreement());
  return raise_status(&comm, ending.status, name);
}

}  // namespace weft::api
