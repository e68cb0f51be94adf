// The three forms over one engine, and the state of a communicator.
#include "coll/collectives.hpp"

#include "coll/execution.hpp"
#include "os/options.hpp"

namespace weft::coll {

namespace {

// Tags of schedules and of persistent operations don't meet; within each half a tag comes again only after 2^30 calls.
constexpr std::uint32_t tag_half = 1U << 30;
int schedule_tag(State& state) noexcept { return static_cast<int>(state.started++ % tag_half); }
int persistent_tag(State& state) noexcept { return static_cast<int>(tag_half + state.prepared++ % (tag_half - 1)); }

void born(comm::Communicator&) {}
void gone(comm::Communicator& communicator) {
  auto* state = static_cast<State*>(communicator.coll);
  if (state == nullptr) return;
  if (state->flat != nullptr) state->flat->close();
  delete state;
  communicator.coll = nullptr;
}

}  // namespace

State& make_state(comm::Communicator& communicator) {
  static bool hooked = false;
  if (!hooked) comm::add_communicator_hook({born, gone});
  hooked = true;
  auto* state = new State;
  const fabric::shm::ShmPort* port = match::engine().switchboard().shm();
  state->one_node = port != nullptr;
  for (int rank = 0; rank < communicator.size && state->one_node; ++rank) state->one_node = port->knows(communicator.peers[rank]);
  communicator.coll = state;
  return *state;
}

// Asked by blocking calls only, since it waits; all ranks come here in the same call.
FlatRegion* open_flat(comm::Communicator& communicator, State& state) {
  state.flat_asked = true;
  // a check needs messages that meet whatever the calls are
  if (os::option_number("shared-collectives") != 0 && os::option_number("check") == 0) state.flat = FlatRegion::open(communicator);
  return state.flat;
}

Ending announce_broadcast(FlatRegion& region, const Call& call) {
  FlatOperation operation;
  Call empty = call;
  empty.receive_count = 0;
  region.take(operation, empty);
  const std::int64_t bytes = call.receive_count * call.receive_type->size;
  operation.bytes = bytes > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(bytes);
  (void)region.run(operation);
  return operation.ending;
}

Ending run_schedule(comm::Communicator& communicator, const Call& call) {
  Execution* execution = Execution::make();
  execution->take(communicator, call, schedule_tag(state_of(communicator)), false);
  execution->build();
  Ending ending{Status::no_memory, 0, 0};
  if (execution->begin()) {
    match::engine().wait_until([execution] { return execution->advance(); });
    ending = execution->ending();
  }
  execution->release();
  return ending;
}

match::Request* start(comm::Communicator& communicator, const Call& call) {
  State& state = state_of(communicator);
  Execution* execution = Execution::make();
  const bool flat = state.flat != nullptr && FlatRegion::suits(call, communicator.rank, communicator.size);
  execution->take(communicator, call, flat ? 0 : schedule_tag(state), true);
  if (flat) {
    execution->use_flat(*state.flat);
    execution->hand_to_progress();
  } else {
    (void)execution->start();
  }
  return execution;
}

match::Request* prepare(comm::Communicator& communicator, const Call& call) {
  Execution* execution = Execution::make();
  execution->take(communicator, call, persistent_tag(state_of(communicator)), true);
  execution->build();
  execution->persistent = true;
  execution->active = false;
  execution->done = true;
  return execution;
}

}  // namespace weft::coll
