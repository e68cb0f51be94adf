// Duplicating a communicator, blocking or in the background: attributes are copied at once, by the program's callbacks;
// then the new context comes from rank 0 over the parent. Called by api under the runtime lock.
#pragma once

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/info.hpp"

namespace weft::comm {

class Duplication {
 public:
  // Returns an MPI code; unless it is MPI_SUCCESS nothing was started. Hints null: those of the parent.
  int start(Communicator& parent, const Info* hints);
  bool poll();                                      // true: over
  Status status() const noexcept { return broadcast_.status(); }
  Communicator* made() const noexcept { return made_; }   // complete once poll() said true with status ok

 private:
  Communicator* parent_ = nullptr;
  Communicator* made_ = nullptr;
  std::uint64_t context_ = 0;
  Broadcast broadcast_;
};

}  // namespace weft::comm
