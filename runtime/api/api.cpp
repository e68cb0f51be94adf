// Entering the runtime out of the ordinary, and the words of errors.
#include "api/api.hpp"

#include <fmt/format.h>

#include <string>

#include "boot/job.hpp"
#include "comm/error_class.hpp"

namespace weft::api {

void Guard::enter(const char* call) noexcept {
  if ((os::runtime_state & os::not_initialised) != 0) {
    (void)boot::join();                    // so that the message is told once for the job, and not by every rank
    comm::end_job(1, fmt::format("{}: called before MPI_Init", call));
  }
  if ((os::runtime_state & os::finalised) != 0) comm::end_job(1, fmt::format("{}: called after MPI_Finalize", call));
  os::runtime_lock::acquire();
}

std::string text_of(const Value& value) {
  switch (value.kind_) {
    case Value::Kind::number: return fmt::format("{}", value.number_);
    case Value::Kind::words: return value.words_ == nullptr ? "null" : value.words_;
    case Value::Kind::address: break;
  }
  return value.address_ == nullptr ? "null" : fmt::format("{}", value.address_);
}

comm::ErrorSite site_of(const comm::Communicator* on) {
  if (on == nullptr) on = comm::program_communicator();
  if (on == nullptr) return {&comm::errors_are_fatal(), nullptr, "", ""};
  return {on->error_handler, on->handle, "communicator", on->name.c_str()};
}

int raise_at(const comm::ErrorSite& site, int error_class, const char* call, const char* argument, const Value& value,
             std::string_view limit) {
  return comm::raise_at(site, error_class,
                        fmt::format("{}: {} is {}, allowed is {}", call, argument, text_of(value), limit));
}

int raise(const comm::Communicator* on, int error_class, const char* call, const char* argument, const Value& value,
          std::string_view limit) {
  return raise_at(site_of(on), error_class, call, argument, value, limit);
}

int raise_text(const comm::Communicator* on, int code, const char* call, std::string_view detail) {
  return comm::raise_at(site_of(on), code, fmt::format("{}: {}", call, detail));
}

int raise_status(const comm::Communicator* on, Status status, const char* call, std::string_view detail) {
  if (status == Status::ok) return MPI_SUCCESS;
  if (detail.empty()) detail = describe(status);
  return raise_text(on, comm::error_class_of(status), call, detail);
}

int bad_communicator(const char* call, MPI_Comm handle) {
  const bool null = handle == MPI_COMM_NULL;
  return raise(nullptr, MPI_ERR_COMM, call, "comm", null ? Value("MPI_COMM_NULL") : Value(handle),
               "a communicator that was not freed");
}

int bad_group(const char* call, MPI_Group handle, const comm::Communicator* on) {
  const bool null = handle == MPI_GROUP_NULL;
  return raise(on, MPI_ERR_GROUP, call, "group", null ? Value("MPI_GROUP_NULL") : Value(handle),
               "a group that was not freed");
}

int bad_datatype(const char* call, MPI_Datatype handle, const comm::Communicator* on) {
  const bool null = handle == MPI_DATATYPE_NULL;
  return raise(on, MPI_ERR_TYPE, call, "datatype", null ? Value("MPI_DATATYPE_NULL") : Value(handle),
               "a committed datatype that was not freed");
}

int bad_operation(const char* call, MPI_Op handle, const comm::Communicator* on) {
  const bool null = handle == MPI_OP_NULL;
  return raise(on, MPI_ERR_OP, call, "op", null ? Value("MPI_OP_NULL") : Value(handle),
               "an operation that was not freed and is defined for the datatype");
}

int bad_request(const char* call, MPI_Request handle) {
  const bool null = handle == MPI_REQUEST_NULL;
  return raise(nullptr, MPI_ERR_REQUEST, call, "request", null ? Value("MPI_REQUEST_NULL") : Value(handle),
               "a request that was not freed");
}

int bad_info(const char* call, MPI_Info handle, const comm::Communicator* on) {
  const bool null = handle == MPI_INFO_NULL;
  return raise(on, MPI_ERR_INFO, call, "info", null ? Value("MPI_INFO_NULL") : Value(handle),
               "an info object that was not freed");
}

int bad_error_handler(const char* call, MPI_Errhandler handle, const comm::Communicator* on) {
  const bool null = handle == MPI_ERRHANDLER_NULL;
  return raise(on, MPI_ERR_ERRHANDLER, call, "errhandler", null ? Value("MPI_ERRHANDLER_NULL") : Value(handle),
               "an error handler for this kind of object that was not freed");
}

int null_argument(const comm::Communicator* on, const char* call, const char* argument) {
  return raise(on, MPI_ERR_ARG, call, argument, nullptr, "an address");
}

int bad_count(const comm::Communicator* on, const char* call, std::int64_t count) {
  return raise(on, MPI_ERR_COUNT, call, "count", count, "0 or more");
}

int bad_tag(const comm::Communicator* on, const char* call, int tag) {
  return raise(on, MPI_ERR_TAG, call, "tag", tag, "0 .. 2147483647");
}

int bad_rank(const comm::Communicator* on, const char* call, const char* argument, int rank) {
  return raise(on, MPI_ERR_RANK, call, argument, rank, fmt::format("0 .. {}", on->size - 1));
}

int bad_root(const comm::Communicator* on, const char* call, int root) {
  return raise(on, MPI_ERR_ROOT, call, "root", root, fmt::format("0 .. {}", on->size - 1));
}

}  // namespace weft::api
