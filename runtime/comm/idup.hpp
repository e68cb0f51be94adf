// A duplication that runs in the background: a request driven by the progress loop. Called by api, under the runtime lock.
#pragma once

#include "comm/duplicate.hpp"
#include "match/request.hpp"

namespace weft::comm {

// Returns an MPI code; unless it is MPI_SUCCESS there is no request. `made` may be used once the request is done.
int start_duplication(Communicator& parent, const Info* hints, Communicator*& made, match::Request*& request);

}  // namespace weft::comm
