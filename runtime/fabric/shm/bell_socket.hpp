// A bell that epoll can wait for, for ranks that sleep over several fabrics: an abstract Unix datagram socket, which has no
// name in any file system. Its name is known to the ranks of the node's memory only. Whoever rings sends a byte; a byte too
// many costs a look. fd() and drain(): the owner's one thread; ring_socket(): any thread.
#pragma once

#include <optional>
#include <string>

#include "os/fd.hpp"

namespace weft::fabric::shm {

class BellSocket {
 public:
  static std::optional<BellSocket> make();
  int fd() const noexcept { return socket_.get(); }
  const std::string& name() const noexcept { return name_; }
  void drain() const noexcept;

 private:
  os::Fd socket_;
  std::string name_;
};

void ring_socket(const char* name) noexcept;

}  // namespace weft::fabric::shm
