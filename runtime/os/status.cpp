// Words for Status, and the way from errno to Status.
#include "os/status.hpp"

#include <cerrno>

namespace weft {

const char* describe(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::truncated: return "the message is longer than the receive buffer";
    case Status::cancelled: return "cancelled";
    case Status::peer_lost: return "the peer is gone";
    case Status::no_memory: return "out of memory";
    case Status::no_space: return "no space left";
    case Status::unsupported: return "not supported here";
    case Status::bad_argument: return "bad argument";
    case Status::denied: return "permission denied";
    case Status::timed_out: return "timed out";
    case Status::not_found: return "not found";
    case Status::refused: return "refused";
    case Status::system: return "a system call failed";
    case Status::internal: return "internal error";
  }
  return "unknown status";
}

Status status_of_errno(int error) noexcept {
  switch (error) {
    case 0: return Status::ok;
    case ENOMEM: return Status::no_memory;
    case ENOSPC: case EDQUOT: case EMFILE: case ENFILE: return Status::no_space;
    case EACCES: case EPERM: return Status::denied;
    case ETIMEDOUT: return Status::timed_out;
    case ENOENT: return Status::not_found;
    case ECONNREFUSED: return Status::refused;
    case ECONNRESET: case EPIPE: case ESRCH: return Status::peer_lost;
    case EINVAL: return Status::bad_argument;
    case ENOSYS: case EOPNOTSUPP: return Status::unsupported;
    default: return Status::system;
  }
}

}  // namespace weft
