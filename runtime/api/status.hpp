// What weft keeps in the internal words of an MPI_Status: the bytes that arrived (64 bits) and whether the operation was
// cancelled. MPI_ERROR is written only by the calls that complete several requests, as the standard says.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "match/engine.hpp"

namespace weft::api {

static_assert(match::any_source == MPI_ANY_SOURCE && match::any_tag == MPI_ANY_TAG && match::nobody == MPI_PROC_NULL);

inline void set_status(MPI_Status* status, int source, int tag, std::uint64_t bytes, bool cancelled = false) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  std::memcpy(&status->MPI_internal[0], &bytes, sizeof bytes);
  status->MPI_internal[2] = cancelled ? 1 : 0;
}

// The standard's empty status: what a null or inactive request, and a send, give.
inline void set_empty_status(MPI_Status* status, bool cancelled = false) noexcept {
  set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, cancelled);
}

inline void set_status(MPI_Status* status, const match::Request& request) noexcept {
  if (request.form < match::Form::received || request.cancelled) return set_empty_status(status, request.cancelled);
  set_status(status, request.source, request.tag, request.bytes < request.limit_bytes ? request.bytes : request.limit_bytes);
}

inline std::uint64_t status_bytes(const MPI_Status& status) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}
inline void set_status_bytes(MPI_Status& status, std::uint64_t bytes) noexcept { std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes); }
inline bool status_cancelled(const MPI_Status& status) noexcept { return status.MPI_internal[2] != 0; }
inline void set_status_cancelled(MPI_Status& status, bool cancelled) noexcept { status.MPI_internal[2] = cancelled ? 1 : 0; }

}  // namespace weft::api
