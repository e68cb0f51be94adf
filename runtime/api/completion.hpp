// Completing requests, as the wait and test calls share it.
#pragma once

#include <mpi.h>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/status.hpp"

namespace weft::api {

// A request that has nothing to wait for: null, or persistent and not started.
inline bool inactive(MPI_Request handle) noexcept {
  if (handle == MPI_REQUEST_NULL) return true;
  const match::Request* known = request(handle);
  return known != nullptr && !known->active;
}

// Fills the status of a done request, gives it back or, when persistent, lets it rest, and answers its error code without
// raising it. `code_in_status`: also to MPI_ERROR.
int complete(MPI_Request& handle, MPI_Status* status);

// The status of a done request, which stays as it is.
int peek(match::Request& request, MPI_Status* status);

// Raises the error of a request that complete() has reported; `request` facts as they were before.
struct Outcome {
  const comm::Communicator* on = nullptr;
  Status status = Status::ok;
  std::size_t bytes = 0;
  std::size_t room = 0;
  bool foreign = false;        // the code is the program's own (generalized requests)
};
Outcome outcome_of(const match::Request& request) noexcept;
int raise_outcome(const char* call, const Outcome& outcome, int code);

// All handles of an array are null or live; raises for the first that is not.
int check_requests(const char* call, int count, const MPI_Request* requests);

}  // namespace weft::api
