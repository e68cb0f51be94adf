// What else can be done with a request: free, cancel, start, look at without completing; generalized requests.
#include "api/completion.hpp"
#include "comm/generalized.hpp"

namespace weft::api {
namespace {

int live(const char* call, const MPI_Request* handle, match::Request*& out) {
  if (handle == nullptr) return null_argument(nullptr, call, "request");
  out = request(*handle);
  return out == nullptr ? bad_request(call, *handle) : MPI_SUCCESS;
}

int start(const char* call, MPI_Request handle) {
  match::Request* known = request(handle);
  if (known == nullptr) return bad_request(call, handle);
  if (!known->persistent || known->active)
    return raise(static_cast<const comm::Communicator*>(known->owner), MPI_ERR_REQUEST, call, "request",
                 known->persistent ? "a request that is active" : "a request that is not persistent", "an inactive persistent request");
  known->active = true;
  const Outcome outcome = outcome_of(*known);
  const Status status = known->start();
  if (status == Status::ok) [[likely]] return MPI_SUCCESS;
  known->active = false;
  if (status == Status::no_space) return raise_text(outcome.on, MPI_ERR_BUFFER, call, "the attached buffer has no room for the message");
  return raise_status(outcome.on, status, call);
}

// Request_get_status and its plurals: `active` counts requests that something can still be said of.
int get_status(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  *flag = 1;
  for (int i = 0; i < count; ++i)
    if (!inactive(requests[i]) && !request(requests[i])->done) *flag = 0;
  if (*flag == 0) return MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    MPI_Status* status = statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;
    if (inactive(requests[i])) set_empty_status(status);
    else (void)peek(*request(requests[i]), status);
  }
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;
namespace match = weft::match;
namespace comm = weft::comm;

WEFT_API(int, Request_free)(MPI_Request* request) {
  constexpr const char* call = "MPI_Request_free";
  const api::Guard guard(call);
  match::Request* known = nullptr;
  if (const int code = api::live(call, request, known); code != MPI_SUCCESS) return code;
  known->detach();
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

WEFT_API(int, Cancel)(MPI_Request* request) {
  constexpr const char* call = "MPI_Cancel";
  const api::Guard guard(call);
  match::Request* known = nullptr;
  if (const int code = api::live(call, request, known); code != MPI_SUCCESS) return code;
  if (!known->active) return api::raise(nullptr, MPI_ERR_REQUEST, call, "request", "an inactive request", "an active request");
  known->cancel();
  return MPI_SUCCESS;
}

WEFT_API(int, Start)(MPI_Request* request) {
  constexpr const char* call = "MPI_Start";
  const api::Guard guard(call);
  if (request == nullptr) return api::null_argument(nullptr, call, "request");
  return api::start(call, *request);
}

WEFT_API(int, Startall)(int count, MPI_Request requests[]) {
  constexpr const char* call = "MPI_Startall";
  const api::Guard guard(call);
  if (const int code = api::check_requests(call, count, requests); code != MPI_SUCCESS) return code;
  for (int i = 0; i < count; ++i)
    if (const int code = api::start(call, requests[i]); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

WEFT_API(int, Request_get_status)(MPI_Request request, int* flag, MPI_Status* status) {
  constexpr const char* call = "MPI_Request_get_status";
  const api::Guard guard(call);
  if (const int code = api::check_requests(call, 1, &request); code != MPI_SUCCESS) return code;
  if (flag == nullptr) return api::null_argument(nullptr, call, "flag");
  if (!api::inactive(request) && !api::request(request)->done) (void)match::engine().glance();
  return api::get_status(1, &request, flag, status);
}

WEFT_API(int, Request_get_status_all)(int count, const MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  constexpr const char* call = "MPI_Request_get_status_all";
  const api::Guard guard(call);
  if (const int code = api::check_requests(call, count, requests); code != MPI_SUCCESS) return code;
  if (flag == nullptr) return api::null_argument(nullptr, call, "flag");
  (void)match::engine().glance();
  return api::get_status(count, requests, flag, statuses);
}

WEFT_API(int, Request_get_status_any)(int count, const MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  constexpr const char* call = "MPI_Request_get_status_any";
  const api::Guard guard(call);
  if (const int code = api::check_requests(call, count, requests); code != MPI_SUCCESS) return code;
  if (flag == nullptr || index == nullptr) return api::null_argument(nullptr, call, flag == nullptr ? "flag" : "index");
  (void)match::engine().glance();
  bool any_active = false;
  *flag = 0;
  *index = MPI_UNDEFINED;
  for (int i = 0; i < count; ++i) {
    if (api::inactive(requests[i])) continue;
    any_active = true;
    if (!api::request(requests[i])->done) continue;
    *index = i;
    *flag = 1;
    (void)api::peek(*api::request(requests[i]), status);
    return MPI_SUCCESS;
  }
  if (!any_active) {
    *flag = 1;
    api::set_empty_status(status);
  }
  return MPI_SUCCESS;
}

WEFT_API(int, Request_get_status_some)(int incount, const MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  constexpr const char* call = "MPI_Request_get_status_some";
  const api::Guard guard(call);
  if (const int code = api::check_requests(call, incount, requests); code != MPI_SUCCESS) return code;
  if (outcount == nullptr || indices == nullptr) return api::null_argument(nullptr, call, outcount == nullptr ? "outcount" : "indices");
  (void)match::engine().glance();
  bool any_active = false;
  *outcount = 0;
  for (int i = 0; i < incount; ++i) {
    if (api::inactive(requests[i])) continue;
    any_active = true;
    if (!api::request(requests[i])->done) continue;
    (void)api::peek(*api::request(requests[i]), statuses != MPI_STATUSES_IGNORE ? &statuses[*outcount] : MPI_STATUS_IGNORE);
    indices[(*outcount)++] = i;
  }
  if (!any_active) *outcount = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

WEFT_API(int, Grequest_start)(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn, MPI_Grequest_cancel_function* cancel_fn,
                              void* extra_state, MPI_Request* request) {
  constexpr const char* call = "MPI_Grequest_start";
  const api::Guard guard(call);
  if (request == nullptr) return api::null_argument(nullptr, call, "request");
  *request = api::handle_of(comm::start_generalized(query_fn, free_fn, cancel_fn, extra_state));
  return MPI_SUCCESS;
}

WEFT_API(int, Grequest_complete)(MPI_Request request) {
  constexpr const char* call = "MPI_Grequest_complete";
  const api::Guard guard(call);
  match::Request* known = api::request(request);
  if (known == nullptr || known->form != match::Form::made) return api::bad_request(call, request);
  comm::complete_generalized(known);
  return MPI_SUCCESS;
}
