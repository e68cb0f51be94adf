// Error handlers: creating them for every kind of object, and setting, getting, calling those of communicators.
#include "api/api.hpp"
#include "api/handles.hpp"
#include "comm/error_class.hpp"

namespace weft::api {
namespace {

int create(const char* call, comm::ObjectKind kind, comm::HandlerFunction function, MPI_Errhandler* errhandler) {
  const AnyTimeGuard guard;
  if (function == nullptr) return null_argument(nullptr, call, "the handler function");
  if (errhandler == nullptr) return null_argument(nullptr, call, "errhandler");
  *errhandler = handle_of(*comm::create_error_handler(kind, function));
  return MPI_SUCCESS;
}

template <typename Function>
comm::HandlerFunction erase(Function* function) {
  return reinterpret_cast<comm::HandlerFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace
}  // namespace weft::api

using namespace weft;

WEFT_API(int, Comm_create_errhandler)(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  return api::create("MPI_Comm_create_errhandler", comm::ObjectKind::communicator, api::erase(comm_errhandler_fn), errhandler);
}

WEFT_API(int, Win_create_errhandler)(MPI_Win_errhandler_function* win_errhandler_fn, MPI_Errhandler* errhandler) {
  return api::create("MPI_Win_create_errhandler", comm::ObjectKind::window, api::erase(win_errhandler_fn), errhandler);
}

WEFT_API(int, File_create_errhandler)(MPI_File_errhandler_function* file_errhandler_fn, MPI_Errhandler* errhandler) {
  return api::create("MPI_File_create_errhandler", comm::ObjectKind::file, api::erase(file_errhandler_fn), errhandler);
}

WEFT_API(int, Session_create_errhandler)(MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
  return api::create("MPI_Session_create_errhandler", comm::ObjectKind::session, api::erase(session_errhandler_fn), errhandler);
}

WEFT_API(int, Errhandler_free)(MPI_Errhandler* errhandler) {
  constexpr const char* call = "MPI_Errhandler_free";
  const api::AnyTimeGuard guard;
  if (errhandler == nullptr) return api::null_argument(nullptr, call, "errhandler");
  comm::ErrorHandler* handler = api::error_handler(*errhandler);
  if (handler == nullptr) return api::bad_error_handler(call, *errhandler);
  comm::take_handle(*handler);                   // predefined ones don't count, but come from MPI_Comm_get_errhandler
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_set_errhandler)(MPI_Comm comm, MPI_Errhandler errhandler) {
  constexpr const char* call = "MPI_Comm_set_errhandler";
  const api::Guard guard(call);
  comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  comm::ErrorHandler* handler = api::error_handler(errhandler);
  const bool fits = handler != nullptr && (handler->mode != comm::HandlerMode::user || handler->kind == comm::ObjectKind::communicator);
  if (!fits) return api::bad_error_handler(call, errhandler, c);
  comm::retain(*handler);
  comm::release(*c->error_handler);
  c->error_handler = handler;
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_get_errhandler)(MPI_Comm comm, MPI_Errhandler* errhandler) {
  constexpr const char* call = "MPI_Comm_get_errhandler";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  if (errhandler == nullptr) return api::null_argument(c, call, "errhandler");
  *errhandler = api::handle_of(comm::give_handle(*c->error_handler));
  return MPI_SUCCESS;
}

WEFT_API(int, Comm_call_errhandler)(MPI_Comm comm, int errorcode) {
  constexpr const char* call = "MPI_Comm_call_errhandler";
  const api::Guard guard(call);
  const comm::Communicator* c = api::communicator(comm);
  if (c == nullptr) return api::bad_communicator(call, comm);
  if (comm::error_class_of_code(errorcode) < 0)
    return api::raise(c, MPI_ERR_ARG, call, "errorcode", errorcode, "a class or code of MPI or one the program added");
  (void)api::raise_text(c, errorcode, call, "the program raised an error itself");
  return MPI_SUCCESS;
}
