// MPI_Comm_*: asking, creating, freeing, naming.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "comm/create.hpp"
#include "comm/duplicate.hpp"
#include "comm/idup.hpp"
#include "comm/locality.hpp"
#include "match/engine.hpp"

namespace weft::api {
namespace {

// The collective makers answer a status and a communicator, which is null for those who are no members.
int out_communicator(const char* call, const comm::Communicator& parent, Status status, comm::Communicator* made, MPI_Comm* newcomm) {
  *newcomm = made == nullptr ? MPI_COMM_NULL : made->handle;
  return status == Status::ok ? MPI_SUCCESS : raise_status(&parent, status, call);
}

int duplicate(const char* call, MPI_Comm comm, const comm::Info* hints, MPI_Comm* newcomm) {
  comm::Communicator* parent = communicator(comm);
  if (parent == nullptr) return bad_communicator(call, comm);
  if (newcomm == nullptr) return null_argument(parent, call, "newcomm");
  *newcomm = MPI_COMM_NULL;
  comm::Duplication run;
  if (const int code = run.start(*parent, hints); code != MPI_SUCCESS)
    return raise_text(parent, code, call, "an attribute's copy function failed");
  match::engine().wait_until([&run] { return run.poll(); });
  return out_communicator(call, *parent, run.status(), run.made(), newcomm);
}

int duplicate_later(const char* call, MPI_Comm comm, const comm::Info* hints, MPI_Comm* newcomm, MPI_Request* request) {
  comm::Communicator* parent = communicator(comm);
  if (parent == nullptr) return bad_communicator(call, comm);
  if (newcomm == nullptr) return null_argument(parent, call, "newcomm");
  if (request == nullptr) return null_argument(parent, call, "request");
  *newcomm = MPI_COMM_NULL;
  match::Request* started = nullptr;
  comm::Communicator* made = nullptr;
  if (const int code = comm::start_duplication(*parent, hints, made, started); code != MPI_SUCCESS)
    return raise_text(parent, code, call, "an attribute's copy function failed");
  *newcomm = made->handle;
  *request = reinterpret_cast<MPI_Request>(started);
  return MPI_SUCCESS;
}

// Null for MPI_INFO_NULL; `bad` tells a handle that is no info.
const comm::Info* hints_of(MPI_Info handle, bool& bad) {
  if (handle == MPI_INFO_NULL) return nullptr;
  const comm::Info* hints = info(handle);
  bad = hints == nullptr;
  return hints;
}

// A subgroup of the parent: its members' places are all known there.
bool subset(const comm::Group& group, const comm::Communicator& parent) {
  comm::Group* common = comm::group_intersection(group, *parent.group);
  const bool all = common->size() == group.size();
  comm::release(*common);
  return all;
}

int check_create(const char* call, MPI_Comm comm, MPI_Group handle, MPI_Comm* newcomm, comm::Communicator*& parent,
                 comm::Group*& members) {
  parent = communicator(comm);
  if (parent == nullptr) return bad_communicator(call, comm);
  members = group(handle);
  if (members == nullptr) return bad_group(call, handle, parent);
  if (newcomm == nullptr) return null_argument(parent, call, "newcomm");
  if (!subset(*members, *parent))
    return raise(parent, MPI_ERR_GROUP, call, "group", handle, "a subset of the communicator's group");
  *newcomm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

using namespace weft;

WEFT_API(int, Comm_size)(MPI_Comm comm, int* size) {
  constexpr const char* call = "MPI_Comm_size";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) [[unlikely]] return api::bad_communicator(call, comm);
  if (size == nullptr) [[unlikely]] return api::null_argument(c, call, "size");
  *size = c->size;
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_rank)(MPI_Comm comm, int* rank) {
  constexpr const char* call = "MPI_Comm_rank";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) [[unlikely]] return api::bad_communicator(call, comm);
  if (rank == nullptr) [[unlikely]] return api::null_argument(c, call, "rank");
  *rank = c->rank;
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_group)(MPI_Comm comm, MPI_Group* group) {
  constexpr const char* call = "MPI_Comm_group";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  if (group == nullptr) return api::null_argument(c, call, "group");
  *group = api::handle_of(comm::give_handle(*c->group));
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_compare)(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  constexpr const char* call = "MPI_Comm_compare";
  const api::Guard guard(call);
  const comm::Communicator* a = api::communicator(comm1);
  if (a == nullptr) return api::bad_communicator(call, comm1);
  const comm::Communicator* b = api::communicator(comm2);
  if (b == nullptr) return api::bad_communicator(call, comm2);
  if (result == nullptr) return api::null_argument(a, call, "result");
  *result = MPI_IDENT;
  if (a == b) return MPI_SUCCESS;
  switch (comm::compare(*a->group, *b->group)) {
    case comm::GroupOrder::identical: *result = MPI_CONGRUENT; break;
    case comm::GroupOrder::similar: *result = MPI_SIMILAR; break;
    case comm::GroupOrder::unequal: *result = MPI_UNEQUAL; break;
  }
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_test_inter)(MPI_Comm comm, int* flag) {
  constexpr const char* call = "MPI_Comm_test_inter";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  if (flag == nullptr) return api::null_argument(c, call, "flag");
  *flag = 0;
  return MPI_SUCCESS;
}

// There is no remote group while every communicator is an intracommunicator.
WEFT_API(int, Comm_remote_size)(MPI_Comm comm, int*) {
  constexpr const char* call = "MPI_Comm_remote_size";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  return api::raise(c, MPI_ERR_COMM, call, "comm", "an intracommunicator", "an intercommunicator");
}

WEFT_API(int, Comm_remote_group)(MPI_Comm comm, MPI_Group*) {
  constexpr const char* call = "MPI_Comm_remote_group";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  return api::raise(c, MPI_ERR_COMM, call, "comm", "an intracommunicator", "an intercommunicator");
}

WEFT_API(int, Comm_dup)(MPI_Comm comm, MPI_Comm* newcomm) {
  constexpr const char* call = "MPI_Comm_dup";
  const api::Guard guard(call);
  return api::duplicate(call, comm, nullptr, newcomm);
}

WEFT_API(int, Comm_dup_with_info)(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  constexpr const char* call = "MPI_Comm_dup_with_info";
  const api::Guard guard(call);
  bool bad = false;
  const comm::Info* hints = api::hints_of(info, bad);
  if (bad) return api::bad_info(call, info, api::communicator(comm));
  return api::duplicate(call, comm, hints, newcomm);
}

WEFT_API(int, Comm_idup)(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  constexpr const char* call = "MPI_Comm_idup";
  const api::Guard guard(call);
  return api::duplicate_later(call, comm, nullptr, newcomm, request);
}

WEFT_API(int, Comm_idup_with_info)(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  constexpr const char* call = "MPI_Comm_idup_with_info";
  const api::Guard guard(call);
  bool bad = false;
  const comm::Info* hints = api::hints_of(info, bad);
  if (bad) return api::bad_info(call, info, api::communicator(comm));
  return api::duplicate_later(call, comm, hints, newcomm, request);
}

WEFT_API(int, Comm_split)(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  constexpr const char* call = "MPI_Comm_split";
  const api::Guard guard(call);
  comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  if (newcomm == nullptr) return api::null_argument(c, call, "newcomm");
  if (color < 0 && color != MPI_UNDEFINED) return api::raise(c, MPI_ERR_ARG, call, "color", color, "0 or more, or MPI_UNDEFINED");
  comm::Communicator* made = nullptr;
  const Status status = comm::split(*c, color, key, made);
  return api::out_communicator(call, *c, status, made, newcomm);
}

WEFT_API(int, Comm_split_type)(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  constexpr const char* call = "MPI_Comm_split_type";
  const api::Guard guard(call);
  comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  if (newcomm == nullptr) return api::null_argument(c, call, "newcomm");
  comm::Info* hints = api::info(info);
  if (hints == nullptr && info != MPI_INFO_NULL) return api::bad_info(call, info, c);
  comm::Locality locality = comm::Locality::undefined;
  switch (split_type) {
    case MPI_UNDEFINED: break;
    case MPI_COMM_TYPE_SHARED: locality = comm::Locality::node; break;
    case MPI_COMM_TYPE_HW_GUIDED:
    case MPI_COMM_TYPE_RESOURCE_GUIDED: locality = comm::wanted_locality(hints); break;
    case MPI_COMM_TYPE_HW_UNGUIDED: locality = comm::Locality::next_level; break;
    default:
      return api::raise(c, MPI_ERR_ARG, call, "split_type", split_type, "an MPI_COMM_TYPE_ constant or MPI_UNDEFINED");
  }
  comm::Communicator* made = nullptr;
  const Status status = comm::split_by_locality(*c, locality, key, made);
  if (split_type == MPI_COMM_TYPE_HW_UNGUIDED && made != nullptr && hints != nullptr)
    hints->set("mpi_hw_resource_type", comm::name_of(locality));     // the call's way to tell what it found
  return api::out_communicator(call, *c, status, made, newcomm);
}

WEFT_API(int, Comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  constexpr const char* call = "MPI_Comm_create";
  const api::Guard guard(call);
  comm::Communicator* parent = nullptr;
  comm::Group* members = nullptr;
  if (const int code = api::check_create(call, comm, group, newcomm, parent, members); code != MPI_SUCCESS) return code;
  comm::Communicator* made = nullptr;
  const Status status = comm::create(*parent, *members, made);
  return api::out_communicator(call, *parent, status, made, newcomm);
}

WEFT_API(int, Comm_create_group)(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  constexpr const char* call = "MPI_Comm_create_group";
  const api::Guard guard(call);
  comm::Communicator* parent = nullptr;
  comm::Group* members = nullptr;
  if (const int code = api::check_create(call, comm, group, newcomm, parent, members); code != MPI_SUCCESS) return code;
  if (tag < 0) return api::bad_tag(parent, call, tag);
  comm::Communicator* made = nullptr;
  const Status status = comm::create_group(*parent, *members, tag, made);
  return api::out_communicator(call, *parent, status, made, newcomm);
}

namespace weft::api {
namespace {

int free_communicator(const char* call, MPI_Comm* handle) {
  if (handle == nullptr) return null_argument(nullptr, call, "comm");
  comm::Communicator* c = communicator(*handle);
  if (c == nullptr) return bad_communicator(call, *handle);
  if (c->predefined()) return raise(c, MPI_ERR_COMM, call, "comm", c->name.c_str(), "a communicator the program made");
  if (const int code = comm::free_communicator(*c); code != MPI_SUCCESS)
    return raise_text(c, code, call, "an attribute's delete function failed");
  *handle = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

WEFT_API(int, Comm_free)(MPI_Comm* comm) {
  const api::Guard guard("MPI_Comm_free");
  return api::free_communicator("MPI_Comm_free", comm);
}

// The same while programs can't connect to one another: a communicator's messages complete without the handle.
WEFT_API(int, Comm_disconnect)(MPI_Comm* comm) {
  const api::Guard guard("MPI_Comm_disconnect");
  return api::free_communicator("MPI_Comm_disconnect", comm);
}

// No program was started by another while there is no MPI_Comm_spawn.
WEFT_API(int, Comm_get_parent)(MPI_Comm* parent) {
  const api::Guard guard("MPI_Comm_get_parent");
  if (parent == nullptr) return api::null_argument(nullptr, "MPI_Comm_get_parent", "parent");
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_set_name)(MPI_Comm comm, const char* comm_name) {
  constexpr const char* call = "MPI_Comm_set_name";
  const api::Guard guard(call);
  comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  if (comm_name == nullptr) return api::null_argument(c, call, "comm_name");
  c->name.assign(comm_name, ::strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_get_name)(MPI_Comm comm, char* comm_name, int* resultlen) {
  constexpr const char* call = "MPI_Comm_get_name";
  const api::Guard guard(call);
  if (comm_name == nullptr) return api::null_argument(nullptr, call, "comm_name");
  if (resultlen == nullptr) return api::null_argument(nullptr, call, "resultlen");
  static const std::string name_of_null = "MPI_COMM_NULL";       // the one call that takes it
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr && comm != MPI_COMM_NULL) return api::bad_communicator(call, comm);
  const std::string& name = c == nullptr ? name_of_null : c->name;
  std::memcpy(comm_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

// Hints are kept and given back; weft knows none of its own on communicators yet.
WEFT_API(int, Comm_set_info)(MPI_Comm comm, MPI_Info info) {
  constexpr const char* call = "MPI_Comm_set_info";
  const api::Guard guard(call);
  comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  bool bad = false;
  const comm::Info* hints = api::hints_of(info, bad);
  if (bad) return api::bad_info(call, info, c);
  if (hints == nullptr) return MPI_SUCCESS;
  if (c->info == nullptr) c->info = comm::make_info();
  for (int i = 0; i < hints->size(); ++i) c->info->set(hints->entry(i).first, hints->entry(i).second);
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_get_info)(MPI_Comm comm, MPI_Info* info_used) {
  constexpr const char* call = "MPI_Comm_get_info";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  if (info_used == nullptr) return api::null_argument(c, call, "info_used");
  comm::Info* given = c->info == nullptr ? comm::make_info() : comm::duplicate(*c->info);
  *info_used = api::handle_of(*given);
  return MPI_SUCCESS;
}
