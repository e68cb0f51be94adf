// From the handles of mpi.h to our objects and back. In the standard ABI a handle is a pointer to an incomplete struct:
// predefined ones are integers below 4096 and index tables, any other is the address of our object. Each decoder returns
// null for the null handle and for one whose magic word is not that of its kind (freed, or of another kind).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "comm/communicator.hpp"
#include "comm/error_handler.hpp"
#include "comm/group.hpp"
#include "comm/info.hpp"
#include "data/datatype.hpp"
#include "data/operation.hpp"
#include "match/transfer.hpp"

namespace weft::api {

constexpr std::uintptr_t first_address = 4096;

template <typename Handle>
std::uintptr_t number_of(Handle handle) noexcept { return reinterpret_cast<std::uintptr_t>(handle); }

// The object at a handle that is not a predefined one; null when there is no such object.
template <typename T, typename Handle>
T* object(Handle handle) noexcept {
  if ((number_of(handle) & (alignof(std::uint32_t) - 1)) != 0) [[unlikely]] return nullptr;
  T* candidate = reinterpret_cast<T*>(handle);
  return candidate->magic == T::magic_value ? candidate : nullptr;
}

inline comm::Communicator* communicator(MPI_Comm handle) noexcept {
  if (number_of(handle) >= first_address) return object<comm::Communicator>(handle);
  if (handle == MPI_COMM_WORLD) return comm::world();
  return handle == MPI_COMM_SELF ? comm::self() : nullptr;
}

// The same for the hot ways of a runtime that is up: then MPI_COMM_WORLD, their usual guest, is always there.
inline comm::Communicator* live_communicator(MPI_Comm handle) noexcept {
  if (handle != MPI_COMM_WORLD) [[unlikely]] return communicator(handle);
  comm::Communicator* world = comm::world();
  if (world == nullptr) __builtin_unreachable();
  return world;
}

inline comm::Group* group(MPI_Group handle) noexcept {
  if (number_of(handle) >= first_address) return object<comm::Group>(handle);
  return handle == MPI_GROUP_EMPTY ? &comm::empty_group() : nullptr;
}

inline comm::ErrorHandler* error_handler(MPI_Errhandler handle) noexcept {
  if (number_of(handle) >= first_address) return object<comm::ErrorHandler>(handle);
  if (handle == MPI_ERRORS_ARE_FATAL) return &comm::errors_are_fatal();
  if (handle == MPI_ERRORS_ABORT) return &comm::errors_abort();
  return handle == MPI_ERRORS_RETURN ? &comm::errors_return() : nullptr;
}

inline comm::Info* info(MPI_Info handle) noexcept {
  if (number_of(handle) >= first_address) return object<comm::Info>(handle);
  return handle == MPI_INFO_ENV ? &comm::environment_info() : nullptr;
}

inline data::Datatype* datatype(MPI_Datatype handle) noexcept {
  if (number_of(handle) >= first_address) return object<data::Datatype>(handle);
  return data::predefined(number_of(handle));
}

inline MPI_Datatype handle_of(const data::Datatype& type) noexcept { return reinterpret_cast<MPI_Datatype>(type.handle()); }

inline data::Operation* operation(MPI_Op handle) noexcept {
  if (number_of(handle) >= first_address) return object<data::Operation>(handle);
  return data::predefined_operation(number_of(handle));
}
inline MPI_Op handle_of(const data::Operation& operation) noexcept { return reinterpret_cast<MPI_Op>(operation.handle()); }

// The same for the hot ways: a handle that names no type gives one that is not contiguous, so one question serves both.
inline const data::Datatype& live_datatype(MPI_Datatype handle) noexcept {
  if (number_of(handle) < data::predefined_limit) [[likely]] return *data::predefined_by_number[number_of(handle)];
  const auto* derived = number_of(handle) >= first_address ? object<data::Datatype>(handle) : nullptr;
  return derived != nullptr ? *derived : data::no_type();
}

// Null also for MPI_REQUEST_NULL, which most calls allow: they ask for that first.
inline match::Request* request(MPI_Request handle) noexcept {
  return number_of(handle) >= first_address ? object<match::Request>(handle) : nullptr;
}
inline MPI_Request handle_of(match::Request* request) noexcept { return reinterpret_cast<MPI_Request>(request); }

inline MPI_Comm handle_of(comm::Communicator& communicator) noexcept { return communicator.handle; }
inline MPI_Group handle_of(comm::Group& group) noexcept {
  return &group == &comm::empty_group() ? MPI_GROUP_EMPTY : reinterpret_cast<MPI_Group>(&group);
}
inline MPI_Errhandler handle_of(comm::ErrorHandler& handler) noexcept {
  if (&handler == &comm::errors_are_fatal()) return MPI_ERRORS_ARE_FATAL;
  if (&handler == &comm::errors_abort()) return MPI_ERRORS_ABORT;
  if (&handler == &comm::errors_return()) return MPI_ERRORS_RETURN;
  return reinterpret_cast<MPI_Errhandler>(&handler);
}
inline MPI_Info handle_of(comm::Info& info) noexcept {
  return &info == &comm::environment_info() ? MPI_INFO_ENV : reinterpret_cast<MPI_Info>(&info);
}

}  // namespace weft::api
