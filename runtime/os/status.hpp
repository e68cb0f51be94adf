// What can go wrong, in one byte. Running paths return Status; set-up returns Expected<T> (expected.hpp), which adds a
// note. Called by every floor, from any thread. The table that maps Status to MPI error classes is comm/error_class.hpp.
#pragma once

#include <cstdint>

namespace weft {

enum class Status : std::uint8_t {
  ok = 0,
  truncated,       // the message is longer than the receive buffer
  cancelled,       // the transfer was cancelled before it matched
  peer_lost,       // the other side is gone
  no_memory,       // memory or address space ran out
  no_space,        // a file system or shared-memory limit was reached
  unsupported,     // outside the capabilities of the device, launcher or build
  bad_argument,    // a value outside its range
  denied,          // permission
  timed_out,       // a deadline passed
  not_found,       // nothing there under that name
  refused,         // the other side said no
  system,          // a system call failed; the note says which
  internal,        // a bug in weft that was contained
};

// The words for a status, for messages ("the peer is gone"). Never null.
const char* describe(Status status) noexcept;

// The status that fits an errno value.
Status status_of_errno(int error) noexcept;

// What a post may answer. `again` means nothing happened and the same call may be repeated later.
enum class Outcome : std::uint8_t { done, posted, again, failed };

}  // namespace weft
