// Splitting a communicator by where its processes run: the node, or a part of the node that each process is bound inside
// of. Where a process runs is read from the kernel when asked, not at start-up. Called by api, under the runtime lock.
#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "os/status.hpp"

namespace weft::comm {

class Info;

// Ordered from the widest. `next_level`: the widest of these that splits the communicator further.
enum class Locality : std::uint8_t { none, node, package, memory_node, last_cache, core, hardware_thread, next_level };

// What the key mpi_hw_resource_type (or mpi_pset_name's absence) of the hints asks for; none when weft can't tell.
Locality wanted_locality(const Info* hints);

// What MPI_Get_hw_resource_info says: each kind of part, and whether this process is bound inside one of them.
void describe_locality(Info& info);

// Collective over the parent. `made` is null where the process is in no single part of that kind.
Status split_by_locality(Communicator& parent, Locality locality, int key, Communicator*& made);

}  // namespace weft::comm
