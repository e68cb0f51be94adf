// What the wait and test calls do to a request that is done.
#include "api/completion.hpp"

#include <fmt/format.h>

#include "api/message.hpp"
#include "comm/error_class.hpp"

namespace weft::api {

int peek(match::Request& request, MPI_Status* status) {
  if (request.form == match::Form::made) {
    MPI_Status unwanted;
    MPI_Status* into = status != MPI_STATUS_IGNORE ? status : &unwanted;
    set_empty_status(into);
    return request.make_status(into);
  }
  set_status(status, request);
  return comm::error_class_of(request.status);
}

int complete(MPI_Request& handle, MPI_Status* status) {
  match::Request& request = *api::request(handle);
  const int code = peek(request, status);
  if (request.persistent) {
    request.active = false;
  } else {
    handle = MPI_REQUEST_NULL;
    request.release();
  }
  return code;
}

Outcome outcome_of(const match::Request& request) noexcept {
  const auto* owner = static_cast<const comm::Communicator*>(request.owner);
  if (owner != nullptr && owner->magic != comm::Communicator::magic_value) owner = nullptr;   // freed while this was under way
  return {owner, request.status, request.bytes, request.limit_bytes, request.form == match::Form::made};
}

int raise_outcome(const char* call, const Outcome& outcome, int code) {
  if (code == MPI_SUCCESS) return code;
  if (outcome.foreign) return raise_text(outcome.on, code, call, "a generalized request ended with an error");
  return raise_transfer(outcome.on, call, outcome.status, outcome.bytes, outcome.room);
}

int check_requests(const char* call, int count, const MPI_Request* requests) {
  if (count < 0) return bad_count(nullptr, call, count);
  if (count > 0 && requests == nullptr) return null_argument(nullptr, call, "array_of_requests");
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL && request(requests[i]) == nullptr) return bad_request(call, requests[i]);
  return MPI_SUCCESS;
}

}  // namespace weft::api
