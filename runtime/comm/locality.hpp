// Splitting a communicator by where its processes run: the node, or a part of the node that each process is bound inside
// of. Where a process runs is read from the kernel when asked, not at start-up. Called by api, under the runtime lock.
#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "os/status.hpp"

namespace weft::comm {

class Info;

// From the widest to the narrowest. `undefined`: takes no part; `unknown`: no part has that name; `next_level`: the widest
// that splits the communicator further.
enum class Locality : std::uint8_t { undefined, unknown, node, package, memory_node, last_cache, core, hardware_thread, next_level };

// What the key mpi_hw_resource_type of the hints asks for.
Locality wanted_locality(const Info* hints);
const char* name_of(Locality locality) noexcept;        // as that key has it

// What MPI_Get_hw_resource_info says: each kind of part, and whether this process is bound inside one of them.
void describe_locality(Info& info);

// Collective over the parent. All who take part must want the same; where they don't, the wish counts as unknown and nobody
// gets a communicator. `made` is null too where the process is in no single part of that kind. `wanted` becomes the kind of
// part that was taken.
Status split_by_locality(Communicator& parent, Locality& wanted, int key, Communicator*& made);

}  // namespace weft::comm
