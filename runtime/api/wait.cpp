// MPI_Wait and MPI_Test and their plurals.
#include "api/completion.hpp"

namespace weft::api {
namespace {

// A receive that went well and is not kept, as nearly all are that are waited for.
constexpr match::Life received{match::Request::magic_value, true, Status::ok, false, match::Form::receive};
[[gnu::always_inline]] inline bool received_well(const match::Request& request) noexcept { return request == received; }

[[gnu::noinline]] int finish(const char* call, MPI_Request& handle, MPI_Status* status) {
  const Outcome outcome = outcome_of(*request(handle));
  return raise_outcome(call, outcome, complete(handle, status));
}

// The hot end: a send that went out whole needs no more than an empty status.
[[gnu::always_inline]] inline int finish_one(const char* call, MPI_Request* handle, match::Request* done, MPI_Status* status) {
  if (done == match::completed_send()) [[likely]] {
    set_empty_status(status);
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  }
  if (received_well(*done)) [[likely]] {
    set_status(status, *done);
    *handle = MPI_REQUEST_NULL;
    match::engine().give(static_cast<match::Receive*>(done));
    return MPI_SUCCESS;
  }
  return finish(call, *handle, status);
}

int wait(MPI_Request* handle, MPI_Status* status) {
  constexpr const char* call = "MPI_Wait";
  const Guard guard(call);
  if (handle == nullptr) [[unlikely]] return null_argument(nullptr, call, "request");
  match::Request* pending = request(*handle);
  if (pending == nullptr || !pending->active) [[unlikely]] {
    if (!inactive(*handle)) return bad_request(call, *handle);
    set_empty_status(status);
    return MPI_SUCCESS;
  }
  if (!pending->done) match::engine().wait(*pending);
  return finish_one(call, handle, pending, status);
}

int test(MPI_Request* handle, int* flag, MPI_Status* status) {
  constexpr const char* call = "MPI_Test";
  const Guard guard(call);
  if (handle == nullptr) return null_argument(nullptr, call, "request");
  if (flag == nullptr) return null_argument(nullptr, call, "flag");
  match::Request* pending = request(*handle);
  *flag = 1;
  if (pending == nullptr || !pending->active) {
    if (!inactive(*handle)) return bad_request(call, *handle);
    set_empty_status(status);
    return MPI_SUCCESS;
  }
  if (!pending->done) (void)match::engine().glance();
  *flag = pending->done;
  return pending->done ? finish_one(call, handle, pending, status) : MPI_SUCCESS;
}

// ---- all

bool all_done(int count, const MPI_Request* requests, int& first_open) noexcept {
  for (; first_open < count; ++first_open) {
    const match::Request* pending = request(requests[first_open]);
    if (pending != nullptr && pending->active && !pending->done) return false;
  }
  return true;
}

// Ends the requests from `next` on that are done and need no more than the two common ends; answers the first that is not
// so. Their handles are known to be good.
int finish_plainly(int count, MPI_Request* requests, MPI_Status* statuses, int next) noexcept {
  for (; next < count; ++next) {
    match::Request* done = reinterpret_cast<match::Request*>(requests[next]);
    const bool sent = done == match::completed_send();
    if (!sent && (requests[next] == MPI_REQUEST_NULL || !received_well(*done))) break;
    if (statuses != MPI_STATUSES_IGNORE) {
      set_status(&statuses[next], *done);
      statuses[next].MPI_ERROR = MPI_SUCCESS;
    }
    requests[next] = MPI_REQUEST_NULL;
    if (!sent) match::engine().give(static_cast<match::Receive*>(done));
  }
  return next;
}

// All from `next` on are done.
int finish_all(const char* call, int count, MPI_Request* requests, MPI_Status* statuses, int next) {
  bool failed = false;
  Outcome first;
  for (int i = next; i < count; ++i) {
    MPI_Status* status = statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;
    int code = MPI_SUCCESS;
    if (inactive(requests[i])) {
      set_empty_status(status);
    } else {
      const Outcome outcome = outcome_of(*request(requests[i]));
      code = complete(requests[i], status);
      if (code != MPI_SUCCESS && !failed) { first = outcome; failed = true; }
    }
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
  }
  return failed ? raise_text(first.on, MPI_ERR_IN_STATUS, call, describe(first.status)) : MPI_SUCCESS;
}

int waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  constexpr const char* call = "MPI_Waitall";
  const Guard guard(call);
  if (const int code = check_requests(call, count, requests); code != MPI_SUCCESS) return code;
  // Ends requests as they get done: the usual case is over with the last message.
  int next = 0;
  int first_open = 0;
  match::engine().wait_until([&] {
    next = finish_plainly(count, requests, statuses, next);
    if (first_open < next) first_open = next;
    return all_done(count, requests, first_open);
  });
  next = finish_plainly(count, requests, statuses, next);
  return finish_all(call, count, requests, statuses, next);
}

int testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  constexpr const char* call = "MPI_Testall";
  const Guard guard(call);
  if (const int code = check_requests(call, count, requests); code != MPI_SUCCESS) return code;
  if (flag == nullptr) return null_argument(nullptr, call, "flag");
  int first_open = 0;
  *flag = all_done(count, requests, first_open) || (match::engine().glance() && all_done(count, requests, first_open));
  return *flag ? finish_all(call, count, requests, statuses, 0) : MPI_SUCCESS;
}

// ---- any

enum class Found : std::uint8_t { none_active, none_done, one };

Found find_done(int count, const MPI_Request* requests, int& index) noexcept {
  Found found = Found::none_active;
  for (int i = 0; i < count; ++i) {
    const match::Request* pending = request(requests[i]);
    if (pending == nullptr || !pending->active) continue;
    if (pending->done) {
      index = i;
      return Found::one;
    }
    found = Found::none_done;
  }
  return found;
}

int finish_any(const char* call, Found found, MPI_Request* requests, int* index, MPI_Status* status) {
  if (found == Found::one) return finish(call, requests[*index], status);
  *index = MPI_UNDEFINED;
  set_empty_status(status);
  return MPI_SUCCESS;
}

int waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  constexpr const char* call = "MPI_Waitany";
  const Guard guard(call);
  if (const int code = check_requests(call, count, requests); code != MPI_SUCCESS) return code;
  if (index == nullptr) return null_argument(nullptr, call, "index");
  Found found = Found::none_active;
  match::engine().wait_until([&] { return (found = find_done(count, requests, *index)) != Found::none_done; });
  return finish_any(call, found, requests, index, status);
}

int testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  constexpr const char* call = "MPI_Testany";
  const Guard guard(call);
  if (const int code = check_requests(call, count, requests); code != MPI_SUCCESS) return code;
  if (index == nullptr) return null_argument(nullptr, call, "index");
  if (flag == nullptr) return null_argument(nullptr, call, "flag");
  Found found = find_done(count, requests, *index);
  if (found == Found::none_done && match::engine().glance()) found = find_done(count, requests, *index);
  *flag = found != Found::none_done;
  if (found == Found::none_done) {
    *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return finish_any(call, found, requests, index, status);
}

// ---- some

int finish_some(const char* call, int count, MPI_Request* requests, int* done_count, int* indices, MPI_Status* statuses) {
  bool failed = false;
  Outcome first;
  *done_count = 0;
  for (int i = 0; i < count; ++i) {
    const match::Request* pending = request(requests[i]);
    if (pending == nullptr || !pending->active || !pending->done) continue;
    MPI_Status* status = statuses != MPI_STATUSES_IGNORE ? &statuses[*done_count] : MPI_STATUS_IGNORE;
    const Outcome outcome = outcome_of(*pending);
    const int code = complete(requests[i], status);
    if (code != MPI_SUCCESS && !failed) { first = outcome; failed = true; }
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
    indices[(*done_count)++] = i;
  }
  return failed ? raise_text(first.on, MPI_ERR_IN_STATUS, call, describe(first.status)) : MPI_SUCCESS;
}

int some(const char* call, int count, MPI_Request* requests, int* done_count, int* indices, MPI_Status* statuses, bool blocking) {
  const Guard guard(call);
  if (const int code = check_requests(call, count, requests); code != MPI_SUCCESS) return code;
  if (done_count == nullptr) return null_argument(nullptr, call, "outcount");
  if (indices == nullptr && count > 0) return null_argument(nullptr, call, "array_of_indices");
  int index = 0;
  Found found = find_done(count, requests, index);
  if (found == Found::none_done && blocking) match::engine().wait_until([&] { return (found = find_done(count, requests, index)) != Found::none_done; });
  else if (found == Found::none_done && match::engine().glance()) found = find_done(count, requests, index);
  if (found == Found::none_active) {
    *done_count = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return finish_some(call, count, requests, done_count, indices, statuses);
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;

WEFT_API(int, Wait)(MPI_Request* request, MPI_Status* status) { return api::wait(request, status); }
WEFT_API(int, Test)(MPI_Request* request, int* flag, MPI_Status* status) { return api::test(request, flag, status); }
WEFT_API(int, Waitall)(int count, MPI_Request requests[], MPI_Status statuses[]) { return api::waitall(count, requests, statuses); }
WEFT_API(int, Testall)(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return api::testall(count, requests, flag, statuses);
}
WEFT_API(int, Waitany)(int count, MPI_Request requests[], int* index, MPI_Status* status) { return api::waitany(count, requests, index, status); }
WEFT_API(int, Testany)(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  return api::testany(count, requests, index, flag, status);
}
WEFT_API(int, Waitsome)(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  return api::some("MPI_Waitsome", incount, requests, outcount, indices, statuses, true);
}
WEFT_API(int, Testsome)(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  return api::some("MPI_Testsome", incount, requests, outcount, indices, statuses, false);
}
