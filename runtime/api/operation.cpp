// Operations of reductions: made, freed, asked, and applied to local buffers.
#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/message.hpp"
#include "data/operation.hpp"

namespace weft::api {
namespace {

template <typename Function>
int create(const char* call, Function* function, int commute, MPI_Op* op) {
  const Guard guard(call);
  if (function == nullptr || op == nullptr) return null_argument(nullptr, call, function == nullptr ? "user_fn" : "op");
  const data::Operation* made = data::make_operation(function, commute != 0);
  if (made == nullptr) return raise_status(nullptr, Status::no_memory, call);
  *op = handle_of(*made);
  return MPI_SUCCESS;
}

int reduce_local(const char* call, const void* in, void* inout, std::int64_t count, MPI_Datatype handle, MPI_Op op) {
  const Guard guard(call);
  const data::Operation* operation = api::operation(op);
  if (operation == nullptr || operation->accumulate_only()) return bad_operation(call, op);
  if (const int code = bad_buffer(nullptr, call, in, count, handle); code != MPI_SUCCESS) return code;
  if (const int code = bad_buffer(nullptr, call, inout, count, handle); code != MPI_SUCCESS) return code;
  const data::Datatype* type = datatype(handle);
  if (!data::allowed(operation, type)) return bad_operation(call, op);
  if (in == MPI_IN_PLACE || inout == MPI_IN_PLACE)
    return raise(nullptr, MPI_ERR_BUFFER, call, in == MPI_IN_PLACE ? "inbuf" : "inoutbuf", "MPI_IN_PLACE", "an address");
  if (in == inout && count > 0 && type->size > 0) return raise(nullptr, MPI_ERR_BUFFER, call, "inoutbuf", inout, "another buffer than inbuf");
  data::apply(operation, in, inout, count, type);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

namespace api = weft::api;
namespace data = weft::data;

WEFT_API(int, Op_create)(MPI_User_function* user_fn, int commute, MPI_Op* op) { return api::create("MPI_Op_create", user_fn, commute, op); }
WEFT_API(int, Op_create_c)(MPI_User_function_c* user_fn, int commute, MPI_Op* op) { return api::create("MPI_Op_create_c", user_fn, commute, op); }

WEFT_API(int, Op_free)(MPI_Op* op) {
  constexpr const char* call = "MPI_Op_free";
  const api::Guard guard(call);
  if (op == nullptr) return api::null_argument(nullptr, call, "op");
  const data::Operation* operation = api::operation(*op);
  if (operation == nullptr) return api::bad_operation(call, *op);
  if (operation->predefined()) return api::raise(nullptr, MPI_ERR_OP, call, "op", operation->name, "an operation that the program made");
  data::release(operation);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

WEFT_API(int, Op_commutative)(MPI_Op op, int* commute) {
  constexpr const char* call = "MPI_Op_commutative";
  const api::Guard guard(call);
  const data::Operation* operation = api::operation(op);
  if (operation == nullptr) return api::bad_operation(call, op);
  if (commute == nullptr) return api::null_argument(nullptr, call, "commute");
  *commute = operation->commutative ? 1 : 0;
  return MPI_SUCCESS;
}

WEFT_API(int, Reduce_local)(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  return api::reduce_local("MPI_Reduce_local", inbuf, inoutbuf, count, datatype, op);
}
WEFT_API(int, Reduce_local_c)(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  return api::reduce_local("MPI_Reduce_local_c", inbuf, inoutbuf, count, datatype, op);
}
