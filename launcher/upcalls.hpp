// What PMIx's thread has to tell the main thread, queued, with a descriptor that wakes the loop.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "os/fd.hpp"

namespace weft::launcher {

struct Upcall {
  enum class Kind {
    connected, finalized,
    aborted,           // ranks: the one it has lost, if that is why
    fence_entered,     // by all its ranks of this host: ranks (none for all), token, cards in text
    cards_wanted,      // of a rank elsewhere: rank, token, code: seconds to wait, 0 for ever
    cards_found,       // of a rank of this host: token of the asker, code: a PMIx status, cards in text
  };
  Kind kind;
  int rank = 0;
  int code = 0;
  std::string text{};
  std::uint64_t token = 0;
  std::vector<int> ranks{};
};

class UpcallQueue {
 public:
  UpcallQueue();
  int wake_fd() const noexcept { return wake_.get(); }
  void post(Upcall upcall);    // any thread
  std::vector<Upcall> take();

 private:
  os::Fd wake_;
  std::mutex mutex_;
  std::vector<Upcall> upcalls_;
};

}  // namespace weft::launcher
