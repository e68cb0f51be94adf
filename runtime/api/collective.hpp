// What the collective calls share: decoding and checking arguments into a coll::Call, and the six functions every
// collective has (blocking, immediate, persistent, each with int and with MPI_Count), made from one decoder by
// WEFT_COLLECTIVE. A decoder fills Frame::call and answers MPI_SUCCESS, or raises and answers the code.
#pragma once

#include <mpi.h>

#include <type_traits>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/message.hpp"
#include "coll/collectives.hpp"
#include "data/operation.hpp"

namespace weft::api {

struct Frame {
  const char* name;
  comm::Communicator* comm;
  coll::Call call;
};

[[gnu::cold]] int bad_collective_buffer(const Frame& frame, const char* argument, const void* address, std::int64_t count, MPI_Datatype type);
[[gnu::cold]] int bad_reduction(const Frame& frame, MPI_Datatype type, MPI_Op handle);
[[gnu::cold]] int aliased(const Frame& frame, const void* address);
[[gnu::cold]] int raise_ending(const char* name, const comm::Communicator& comm, const coll::Ending& ending);

// count elements of type at address, none of them wrong. `type` of the call is set.
inline int take_buffer(const Frame& frame, const char* argument, const void* address, std::int64_t count, MPI_Datatype handle,
                       const data::Datatype*& type) {
  type = datatype(handle);
  if (type == nullptr || count < 0 || !type->committed || (address == nullptr && count != 0 && type->predefined()) ||
      address == MPI_IN_PLACE) [[unlikely]]
    return bad_collective_buffer(frame, argument, address, count, handle);
  return MPI_SUCCESS;
}

// The operation of a reduction on a type: predefined ones take only the types the standard lists.
inline int take_operation(Frame& frame, MPI_Datatype type, MPI_Op handle) {
  const data::Operation* operation =
      number_of(handle) >= first_address ? object<data::Operation>(handle) : data::predefined_operation(number_of(handle));
  if (operation == nullptr || operation->accumulate_only() || !data::allowed(operation, frame.call.receive_type)) [[unlikely]]
    return bad_reduction(frame, type, handle);
  frame.call.operation = operation;
  return MPI_SUCCESS;
}

inline int take_root(Frame& frame, int root) {
  frame.call.root = root;
  return frame.comm->has_rank(root) ? MPI_SUCCESS : bad_root(frame.comm, frame.name, root);
}

// Do two runs of memory meet? Types with gaps are taken to be apart: they may interleave.
inline bool meet(const void* a, std::int64_t a_count, const data::Datatype* a_type, const void* b, std::int64_t b_count,
                 const data::Datatype* b_type) noexcept {
  if (!a_type->contiguous || !b_type->contiguous) return false;
  const auto first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
  const auto first_bytes = static_cast<std::uintptr_t>(a_count * a_type->size), second_bytes = static_cast<std::uintptr_t>(b_count * b_type->size);
  return first_bytes != 0 && second_bytes != 0 && first < second + second_bytes && second < first + first_bytes;
}

template <class Count>
coll::Integers integers(const Count* values) noexcept {
  if constexpr (std::is_same_v<Count, int>) return coll::Integers(values);
  else {
    static_assert(sizeof(Count) == sizeof(std::int64_t));
    return coll::Integers(reinterpret_cast<const std::int64_t*>(values));
  }
}

// ---- the quick way of small blocking calls on one node. Takes only calls that are surely right and small, and leaves
// all others, the wrong ones too, to the general way: not_quick.
inline constexpr int not_quick = -1;

inline int finish_quick(const char* name, comm::Communicator& comm, coll::FlatRegion& region, coll::FlatOperation& operation) {
  if (region.run(operation)) [[likely]] return MPI_SUCCESS;
  return raise_ending(name, comm, operation.ending);
}

inline int quick_barrier(comm::Communicator& comm, const char* name) {
  if (!coll::has_region(comm)) return not_quick;
  coll::FlatRegion& region = *coll::state_of(comm).flat;
  coll::FlatOperation operation;
  region.number(operation, coll::Collective::barrier, 0, 0);
  return finish_quick(name, comm, region, operation);
}

inline int quick_broadcast(comm::Communicator& comm, const char* name, void* buffer, std::int64_t count, MPI_Datatype handle, int root) {
  const data::Datatype* type = data::predefined(number_of(handle));
  if (!coll::has_region(comm) || type == nullptr || buffer == nullptr || buffer == MPI_IN_PLACE || !comm.has_rank(root) ||
      static_cast<std::uint64_t>(count) > coll::FlatRegion::result_bytes ||
      count * type->size > static_cast<std::int64_t>(coll::FlatRegion::result_bytes))
    return not_quick;
  coll::FlatRegion& region = *coll::state_of(comm).flat;
  coll::FlatOperation operation;
  region.number(operation, coll::Collective::broadcast, root, count * type->size);
  operation.receive = buffer;
  operation.count = count;
  operation.type = type;
  return finish_quick(name, comm, region, operation);
}

// A predefined type and a predefined operation that takes it, kept as the last ones; false: something else.
[[gnu::noinline]] bool remember_reduction(coll::State& state, MPI_Datatype type, MPI_Op operation);

// Reduce and allreduce. `receive`: null where no result is wanted.
inline int quick_reduction(comm::Communicator& comm, const char* name, coll::Collective collective, const void* send, void* receive,
                           std::int64_t count, MPI_Datatype type, MPI_Op op, int root) {
  if (!coll::has_region(comm)) return not_quick;
  coll::State& state = coll::state_of(comm);
  const coll::State::Reduction& known = state.last;
  if ((known.type_number != number_of(type) || known.operation_number != number_of(op)) && !remember_reduction(state, type, op)) [[unlikely]]
    return not_quick;
  coll::FlatRegion& region = *state.flat;
  const std::int64_t bytes = count * known.type->size;
  if (send == nullptr || receive == MPI_IN_PLACE || static_cast<std::uint64_t>(count) > coll::FlatRegion::most_slot_bytes ||
      bytes > region.slot_bytes()) [[unlikely]]
    return not_quick;
  const auto from = reinterpret_cast<std::uintptr_t>(send), to = reinterpret_cast<std::uintptr_t>(receive);
  if (send == MPI_IN_PLACE) {
    send = receive;
    if (receive == nullptr) return not_quick;
  } else if ((from > to ? from - to : to - from) < static_cast<std::uintptr_t>(bytes)) {
    return not_quick;
  }
  coll::FlatOperation operation;
  region.number(operation, collective, root, bytes);
  operation.send = send;
  operation.receive = receive;
  operation.count = count;
  operation.type = known.type;
  operation.operation = known.operation;
  operation.kernel = known.kernel;
  return finish_quick(name, comm, region, operation);
}

inline int quick_reduce(comm::Communicator& comm, const char* name, const void* send, void* receive, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  return receive == nullptr ? not_quick : quick_reduction(comm, name, coll::Collective::allreduce, send, receive, count, type, op, 0);
}
inline int quick_reduce(comm::Communicator& comm, const char* name, const void* send, void* receive, std::int64_t count, MPI_Datatype type, MPI_Op op,
                        int root) {
  const bool wants = comm.rank == root;
  if (!comm.has_rank(root) || (wants && receive == nullptr)) return not_quick;
  return quick_reduction(comm, name, coll::Collective::reduce, send, wants ? receive : nullptr, count, type, op, root);
}

template <coll::Collective collective, class... Arguments>
[[gnu::always_inline]] inline int quick(comm::Communicator& comm, const char* name, Arguments... arguments) {
  using coll::Collective;
  if constexpr (collective == Collective::broadcast) return quick_broadcast(comm, name, arguments...);
  else if constexpr (collective == Collective::allreduce || collective == Collective::reduce) return quick_reduce(comm, name, arguments...);
  else return not_quick;
}

// ---- the three forms

template <class Decode>
[[gnu::noinline]] int run_decoded(const char* name, comm::Communicator& comm, coll::Collective collective, Decode&& decode) {
  Frame frame{name, &comm, {}};
  frame.call.collective = collective;
  if (const int code = decode(frame); code != MPI_SUCCESS) [[unlikely]] return code;
  const coll::Ending ending = coll::run(comm, frame.call);
  return ending.status == Status::ok ? MPI_SUCCESS : raise_ending(frame.name, comm, ending);
}

template <class Quick, class Decode>
[[gnu::always_inline]] inline int run_collective(const char* name, MPI_Comm comm, coll::Collective collective, Quick&& quick, Decode&& decode) {
  const Guard guard(name);
  comm::Communicator* known = communicator(comm);
  if (known == nullptr) [[unlikely]] return bad_communicator(name, comm);
  if (const int code = quick(*known); code != not_quick) [[likely]] return code;
  return run_decoded(name, *known, collective, decode);
}

enum class Form : std::uint8_t { immediate, persistent };

template <Form form, class Decode>
int start_collective(const char* name, MPI_Comm comm, coll::Collective collective, MPI_Request* request, Decode&& decode) {
  const Guard guard(name);
  Frame frame{name, communicator(comm), {}};
  if (frame.comm == nullptr) return bad_communicator(name, comm);
  if (request == nullptr) return null_argument(frame.comm, name, "request");
  frame.call.collective = collective;
  if (const int code = decode(frame); code != MPI_SUCCESS) return code;
  *request = handle_of(form == Form::immediate ? coll::start(*frame.comm, frame.call) : coll::prepare(*frame.comm, frame.call));
  return MPI_SUCCESS;
}

}  // namespace weft::api

// PARAMETERS(count, displacement) and the rest, the arguments: of the blocking call, without the communicator, which comes
// last. decode(frame, arguments...) is a template over both integer types. C: nothing, or _c.
#define WEFT_COLLECTIVE_FORMS(Name, Iname, C, collective, decode, PARAMETERS, count, displacement, ...)                                 \
  WEFT_API(int, Name##C)(PARAMETERS(count, displacement), MPI_Comm comm) {                                                            \
    return weft::api::run_collective(                                                                                                 \
        "MPI_" #Name #C, comm, weft::coll::Collective::collective,                                                                    \
        [&](weft::comm::Communicator& c) {                                                                                            \
          return weft::api::quick<weft::coll::Collective::collective>(c, "MPI_" #Name #C, __VA_ARGS__);                               \
        },                                                                                                                            \
        [&](weft::api::Frame& frame) { return weft::api::decode(frame, __VA_ARGS__); });                                              \
  }                                                                                                                                   \
  WEFT_API(int, Iname##C)(PARAMETERS(count, displacement), MPI_Comm comm, MPI_Request* request) {                                     \
    return weft::api::start_collective<weft::api::Form::immediate>(                                                                   \
        "MPI_" #Iname #C, comm, weft::coll::Collective::collective, request,                                                          \
        [&](weft::api::Frame& frame) { return weft::api::decode(frame, __VA_ARGS__); });                                                \
  }                                                                                                                                   \
  WEFT_API(int, Name##_init##C)(PARAMETERS(count, displacement), MPI_Comm comm, MPI_Info, MPI_Request* request) {                     \
    return weft::api::start_collective<weft::api::Form::persistent>(                                                                  \
        "MPI_" #Name "_init" #C, comm, weft::coll::Collective::collective, request,                                                   \
        [&](weft::api::Frame& frame) { return weft::api::decode(frame, __VA_ARGS__); });                                                \
  }
#define WEFT_COLLECTIVE(Name, Iname, collective, decode, PARAMETERS, ...)                                                \
  WEFT_COLLECTIVE_FORMS(Name, Iname, , collective, decode, PARAMETERS, int, int, __VA_ARGS__)                            \
  WEFT_COLLECTIVE_FORMS(Name, Iname, _c, collective, decode, PARAMETERS, MPI_Count, MPI_Aint, __VA_ARGS__)
