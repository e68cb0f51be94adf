// Making and freeing communicators. A new one's context is a 64-bit number that is never used twice: the rank that leads
// the new group makes it from its world rank and its own counter, and tells the others over the parent (exchange.hpp).
// So nothing has to be agreed on, and two threads may create at once. Called by api and remote, under the runtime lock.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/group.hpp"
#include "os/status.hpp"

namespace weft::comm {

std::uint64_t new_context(int world_rank);

// The new communicator has no attributes, name, info or topology yet; its error handler is the one
// given. Takes over the group's reference; runs no hooks.
Communicator* assemble(Group& group, std::uint64_t context, ErrorHandler& error_handler);
// Runs the hooks of the floors above.
void complete(Communicator& communicator);

// All are collective over the parent (create_group: over the group) and leave `made` null where the caller is no member.
// Duplicates: comm/duplicate.hpp.
Status split(Communicator& parent, int color, int key, Communicator*& made);             // MPI_UNDEFINED: take no part
Status create(Communicator& parent, Group& group, Communicator*& made);
Status create_group(Communicator& parent, Group& group, int tag, Communicator*& made);

// MPI_Comm_free: attributes go now, the object when the last operation on it is over. Returns what a callback returned.
int free_communicator(Communicator& communicator);

// The world and self of this process, from boot::job(); and their end.
void make_predefined();
void drop_predefined();

}  // namespace weft::comm
