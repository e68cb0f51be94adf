// Moving a datatype's bytes: to and from the packed stream (basic elements in typemap order, no gaps), and as runs of
// memory for gathering copies. Called by match/, coll/, remote/ and api/. Threads: any; nothing is kept between calls.
// Each call may start at any byte of the packed stream, so messages can be cut anywhere. No heap, no lock.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "data/datatype.hpp"

namespace weft::data {

// Packed bytes of `count` elements; the caller knows that this fits (see fits()).
inline std::int64_t packed_bytes(const Datatype* type, std::int64_t count) { return type->size * count; }
inline bool fits(const Datatype* type, std::int64_t count) {
  std::int64_t bytes = 0;
  return !__builtin_mul_overflow(type->size, count, &bytes);
}

// Copies bytes [offset, offset + out_bytes) of the packed stream, less at its end. Answers the bytes copied.
std::int64_t pack(const Datatype* type, const void* address, std::int64_t count, std::int64_t offset_bytes, void* out,
                  std::int64_t out_bytes);
std::int64_t unpack(const Datatype* type, void* address, std::int64_t count, std::int64_t offset_bytes, const void* in,
                    std::int64_t in_bytes);

// The pieces of memory behind the packed stream from an offset on, neighbours joined, at most max_runs of them and
// max_bytes in all. Answers the number of runs; 0 at the end of the stream.
int runs(const Datatype* type, const void* address, std::int64_t count, std::int64_t offset_bytes, iovec* out, int max_runs,
         std::int64_t max_bytes = INT64_MAX);

// Address of the only run of `count` elements if there is just one (then it is count * size bytes long), else null.
// Also null when there are no bytes.
inline void* single_run(const Datatype* type, const void* address, std::int64_t count) {
  char* start = const_cast<char*>(static_cast<const char*>(address));
  if (type->contiguous) return start;
  if (type->program == nullptr && count == 1 && type->size > 0) return start + type->true_lower_bound;
  return nullptr;
}

// From one typed buffer to another on this rank (self messages, MPI_IN_PLACE moves). Copies the shorter stream's bytes
// and answers how many. The buffers don't overlap.
std::int64_t copy(const Datatype* from_type, const void* from, std::int64_t from_count, const Datatype* to_type, void* to,
                  std::int64_t to_count);

}  // namespace weft::data
