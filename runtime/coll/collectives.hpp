// The collectives: what api/ calls. Each form takes a checked Call; small ones of one node go through a FlatRegion, all
// others run their schedule. Every rank of the communicator must start its collectives in the same order.
// Under the runtime lock.
#pragma once

#include "coll/call.hpp"
#include "coll/flat.hpp"
#include "comm/communicator.hpp"

namespace weft::match { class Request; }

namespace weft::coll {

// What a communicator's collectives remember. Hangs at Communicator::coll from the first collective on.
struct State {
  std::uint32_t started = 0;           // schedules given a tag
  std::uint32_t prepared = 0;          // persistent ones
  bool flat_asked = false;             // whether there is a region has been found out
  FlatRegion* flat = nullptr;
};

State& make_state(comm::Communicator& communicator);
inline State& state_of(comm::Communicator& communicator) {
  return communicator.coll != nullptr ? *static_cast<State*>(communicator.coll) : make_state(communicator);
}
FlatRegion* open_flat(comm::Communicator& communicator, State& state);

Ending run_schedule(comm::Communicator& communicator, const Call& call);

// Blocking.
inline Ending run(comm::Communicator& communicator, const Call& call) {
  State& state = state_of(communicator);
  if (FlatRegion::suits(call, communicator.size)) {
    FlatRegion* region = state.flat_asked ? state.flat : open_flat(communicator, state);
    if (region != nullptr) [[likely]] {
      FlatOperation operation;
      region->take(operation, call);
      region->run(operation);
      return operation.ending;
    }
  }
  return run_schedule(communicator, call);
}

match::Request* start(comm::Communicator& communicator, const Call& call);      // non-blocking
match::Request* prepare(comm::Communicator& communicator, const Call& call);    // persistent, inactive

}  // namespace weft::coll
