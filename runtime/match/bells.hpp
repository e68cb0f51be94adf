// The bells of all ports as one: a sleep that an arrival on any of them ends. With one port besides self its own sleep is
// used (a futex, say); with several, epoll over their wait descriptors. Used by Waiting only; one thread at a time, except
// wake(), which any thread may call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/port.hpp"
#include "os/fd.hpp"

namespace weft::match {

class Bells {
 public:
  void open(std::span<fabric::Port* const> ports);      // self first

  void prepare() noexcept {
    for (fabric::Port* port : ports_) port->prepare_sleep();
  }
  void cancel() noexcept {
    for (fabric::Port* port : ports_) port->cancel_sleep();
  }
  void sleep(std::int64_t timeout_ns) noexcept;          // after prepare(); cancel() has been done when it returns
  void wake() noexcept;                                  // from another thread of this process
  bool crowded() noexcept {
    for (fabric::Port* port : ports_)
      if (port->crowded()) return true;
    return false;
  }

 private:
  std::vector<fabric::Port*> ports_;   // those that may ring
  os::Fd epoll_;                       // with several
  os::Fd event_;                       // wake()
};

}  // namespace weft::match
