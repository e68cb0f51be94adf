// Call: one collective call as the program made it, decoded and checked. Filled by api/, read by this floor.
#pragma once

#include "coll/facts.hpp"
#include "data/datatype.hpp"
#include "data/operation.hpp"

namespace weft::coll {

// As in Facts: a broadcast has its buffer in the receive fields, reductions have count and type in the receive fields.
struct Call {
  Collective collective = Collective::barrier;
  bool in_place = false;
  int root = 0;
  const void* send = nullptr;
  void* receive = nullptr;
  std::int64_t send_count = 0;
  std::int64_t receive_count = 0;
  const data::Datatype* send_type = nullptr;
  const data::Datatype* receive_type = nullptr;
  const data::Operation* operation = nullptr;
  Integers send_counts, send_displacements, receive_counts, receive_displacements;
  const data::Datatype* const* send_types = nullptr;        // alltoallw: null entries where nothing is sent
  const data::Datatype* const* receive_types = nullptr;
};

// How a collective ended; the sizes are those of a message that did not fit, 0 when there was none.
struct Ending {
  Status status = Status::ok;
  std::size_t bytes = 0;
  std::size_t expected_bytes = 0;
};

}  // namespace weft::coll
