// How the memory file of a node gets from the rank that made it to the others: over an abstract Unix socket, which has no
// name in any file system and vanishes with its owner. The name travels in the owner's card; a secret beside it and the
// caller's user id keep strangers out. Used once, during init, by one thread.
#pragma once

#include <string>

#include "os/clock.hpp"
#include "os/expected.hpp"
#include "os/fd.hpp"

namespace weft::fabric::shm {

class Giver {
 public:
  static Expected<Giver> listen();
  std::string address() const;                                      // name and secret, for the card
  Done give(const os::Fd& file, int takers, os::Deadline deadline);   // returns when all have it

 private:
  os::Fd socket_;
  std::string name_;
  std::string secret_;
};

Expected<os::Fd> take(const std::string& address, os::Deadline deadline);

}  // namespace weft::fabric::shm
