// Buffered sends (MPI 5.0, 3.6): the message goes out at once where it can; else it is packed into memory the program
// attached, to a communicator or to the process, and leaves from there. MPI_BUFFER_AUTOMATIC lets weft find the memory.
// Called by api/, under the runtime lock.
#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "match/engine.hpp"

namespace weft::comm {

// `on` null: the buffer of the process.
bool attach_buffer(const Communicator* on, void* address, std::int64_t bytes);   // false: one is attached already
struct AttachedBuffer {
  void* address;
  std::int64_t bytes;
  bool attached;
};
AttachedBuffer detach_buffer(const Communicator* on);        // waits until its messages have left
void flush_buffer(const Communicator* on);                   // waits likewise, and keeps it
match::Request* start_flush(const Communicator* on);         // done when the messages there now have left

// no_space: the attached buffer (if any) has no room for this message.
Status buffered_send(int peer_world_rank, const Communicator& comm, int tag, const match::TypedBuffer& buffer);
match::Request* prepare_buffered_send(int peer_world_rank, const Communicator& comm, int tag, const match::TypedBuffer& buffer);
std::int64_t buffer_room(const Communicator& comm);          // bytes of the largest message that fits now; -1: no buffer

}  // namespace weft::comm
