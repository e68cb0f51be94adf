// Schedule: what one rank does in one collective, as a list of steps. Steps run in order; send and receive only start
// a transfer, `wait` ends a round: it waits for all transfers started before it. Between two waits no step may touch
// memory that a receive of the round writes. Messages between two ranks match in the order in which both post them.
// Filled by plan_*.cpp, run by engine.cpp and by the simulator of tests/plan. One thread at a time; keeps its memory
// when cleared, so a reused schedule allocates nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "coll/facts.hpp"

namespace weft::coll {

enum class Space : std::uint8_t { send, receive, scratch };              // the user's two buffers and our own
enum class Unit : std::uint8_t { bytes, send_type, receive_type };       // what Place::count counts

// A stretch of one buffer. `offset` is in bytes from the buffer's address to the address of the first element.
struct Place {
  std::int64_t offset = 0;
  std::int64_t count = 0;
  std::int64_t bytes = 0;            // data, packed
  std::int32_t type_index = -1;      // >= 0: the unit is that entry of the call's type array (alltoallw)
  Space space = Space::scratch;
  Unit unit = Unit::bytes;
};

enum class Action : std::uint8_t { send, receive, copy, reduce, wait };

struct Step {
  Action action;
  int peer = -1;                     // rank in the communicator
  Place from;                        // send, copy, reduce: what is read
  Place to;                          // receive, copy: what is written; reduce: to = from (op) to
};

// Elements of one type that lie in one buffer, and the places inside.
struct Region {
  Space space = Space::scratch;
  Unit unit = Unit::bytes;
  std::int32_t type_index = -1;
  std::int64_t offset = 0;           // of element 0
  TypeFacts type;

  Place elements(std::int64_t first, std::int64_t count) const noexcept {
    return {offset + first * type.extent, count, count * type.size, type_index, space, unit};
  }
};

class Schedule {
 public:
  // Transfers without data are dropped, on both sides alike.
  void send(int peer, const Place& from);
  void receive(int peer, const Place& to);
  void send_token(int peer);                       // an empty message that does travel
  void receive_token(int peer);
  void copy(const Place& from, const Place& to);   // packs and unpacks where the units differ; never overlapping
  void reduce(const Place& in, const Place& inout);
  void wait();                                     // nothing started since the last one: dropped

  std::int64_t scratch(std::int64_t bytes);        // offset of fresh scratch, on a cache line
  Region scratch_bytes_region(std::int64_t bytes);
  Region scratch_elements(const TypeFacts& type, Unit unit, std::int64_t count);

  void clear() noexcept;
  const std::vector<Step>& steps() const noexcept { return steps_; }
  std::int64_t scratch_bytes() const noexcept { return scratch_bytes_; }

 private:
  std::vector<Step> steps_;
  std::int64_t scratch_bytes_ = 0;
  bool open_ = false;                              // transfers started since the last wait
};

// Time of one rank's schedule under the usual model: each round costs a latency and its busier direction, each message
// the time to post it. Of all ranks the slowest bounds the collective from below.
struct CostModel {
  double latency_s = 1e-6;
  double message_s = 2e-7;
  double second_per_byte = 1e-10;
  double second_per_reduced_byte = 1e-10;
  double second_per_copied_byte = 5e-11;
};
struct Cost {
  std::int64_t rounds = 0, messages = 0, sent_bytes = 0, received_bytes = 0, reduced_bytes = 0, copied_bytes = 0;
  double seconds = 0;
};
Cost predict(const Schedule& schedule, const CostModel& model) noexcept;

}  // namespace weft::coll
