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
  bool one_node = false;               // all members share memory
  bool flat_asked = false;             // whether there is a region has been found out
  FlatRegion* flat = nullptr;

  // The last small reduction of a predefined type by a predefined operation, known to be allowed.
  struct Reduction {
    std::uintptr_t type_number = 0, operation_number = 0;
    const data::Datatype* type = nullptr;
    const data::Operation* operation = nullptr;
    data::Kernel kernel = nullptr;
  } last;
};

State& make_state(comm::Communicator& communicator);
inline State& state_of(comm::Communicator& communicator) {
  return communicator.coll != nullptr ? *static_cast<State*>(communicator.coll) : make_state(communicator);
}
FlatRegion* open_flat(comm::Communicator& communicator, State& state);

// Whether small blocking collectives may use a region at once: not when there is none, or none yet.
inline bool has_region(const comm::Communicator& communicator) noexcept {
  return communicator.coll != nullptr && static_cast<const State*>(communicator.coll)->flat != nullptr;
}

// Before a long broadcast: the root says how long it is, so that a rank which expects a short one, or another length, sees
// an error. Otherwise both would wait, one for a slot and the others for messages.
Ending announce_broadcast(FlatRegion& region, const Call& call);
Ending run_schedule(comm::Communicator& communicator, const Call& call);

// Blocking.
inline Ending run(comm::Communicator& communicator, const Call& call) {
  State& state = state_of(communicator);
  if (FlatRegion::suits(call, communicator.rank, communicator.size)) {
    FlatRegion* region = state.flat_asked ? state.flat : open_flat(communicator, state);
    if (region != nullptr) [[likely]] {
      FlatOperation operation;
      region->take(operation, call);
      (void)region->run(operation);
      return operation.ending;
    }
  }
  if (call.collective == Collective::broadcast && state.flat != nullptr) {
    const Ending ending = announce_broadcast(*state.flat, call);
    if (ending.status != Status::ok) return ending;
  }
  return run_schedule(communicator, call);
}

match::Request* start(comm::Communicator& communicator, const Call& call);      // non-blocking
match::Request* prepare(comm::Communicator& communicator, const Call& call);    // persistent, inactive

}  // namespace weft::coll
