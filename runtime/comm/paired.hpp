// One request for two transfers: MPI_Isendrecv. Done when both are; its status is the receive's. Called by api/.
#pragma once

#include <cstddef>

#include "match/engine.hpp"

namespace weft::comm {

// Takes both over. `scratch` (malloc'ed, may be null) is freed with the request.
match::Request* pair(match::Request* send, match::Request* receive, void* scratch, const void* owner);

}  // namespace weft::comm
