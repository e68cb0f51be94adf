// Handles as integers, for Fortran and for tools. Allowed at any time.
#include "api/api.hpp"
#include "comm/integer_handle.hpp"

namespace weft::api {
namespace {

template <typename Handle>
int to_integer(Handle handle) {
  const AnyTimeGuard guard;
  return comm::integer_of(reinterpret_cast<std::uintptr_t>(handle));
}

template <typename Handle>
Handle from_integer(int integer, Handle null) {
  const AnyTimeGuard guard;
  const std::uintptr_t handle = comm::handle_of_integer(integer);
  return handle == 0 ? null : reinterpret_cast<Handle>(handle);
}

}  // namespace
}  // namespace weft::api

using weft::api::from_integer;
using weft::api::to_integer;

WEFT_API(int, Comm_toint)(MPI_Comm comm) { return to_integer(comm); }
WEFT_API(int, Errhandler_toint)(MPI_Errhandler errhandler) { return to_integer(errhandler); }
WEFT_API(int, Group_toint)(MPI_Group group) { return to_integer(group); }
WEFT_API(int, Info_toint)(MPI_Info info) { return to_integer(info); }
WEFT_API(int, Message_toint)(MPI_Message message) { return to_integer(message); }
WEFT_API(int, Op_toint)(MPI_Op op) { return to_integer(op); }
WEFT_API(int, Request_toint)(MPI_Request request) { return to_integer(request); }
WEFT_API(int, Type_toint)(MPI_Datatype datatype) { return to_integer(datatype); }

WEFT_API(MPI_Comm, Comm_fromint)(int comm) { return from_integer(comm, MPI_COMM_NULL); }
WEFT_API(MPI_Errhandler, Errhandler_fromint)(int errhandler) { return from_integer(errhandler, MPI_ERRHANDLER_NULL); }
WEFT_API(MPI_Group, Group_fromint)(int group) { return from_integer(group, MPI_GROUP_NULL); }
WEFT_API(MPI_Info, Info_fromint)(int info) { return from_integer(info, MPI_INFO_NULL); }
WEFT_API(MPI_Message, Message_fromint)(int message) { return from_integer(message, MPI_MESSAGE_NULL); }
WEFT_API(MPI_Op, Op_fromint)(int op) { return from_integer(op, MPI_OP_NULL); }
WEFT_API(MPI_Request, Request_fromint)(int request) { return from_integer(request, MPI_REQUEST_NULL); }
WEFT_API(MPI_Datatype, Type_fromint)(int datatype) { return from_integer(datatype, MPI_DATATYPE_NULL); }
