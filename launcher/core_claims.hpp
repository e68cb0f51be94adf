// Which cores other weftrun jobs on this host use, so that two jobs don't meet on core 0. A claim is an abstract socket
// name per core: it exists as long as the launcher that holds it lives and leaves no file. Advisory, per network namespace.
#pragma once

#include <map>
#include <vector>

#include "os/fd.hpp"
#include "os/topology.hpp"

namespace weft::launcher {

class CoreClaims {
 public:
  // Claims every core that no other job holds; returns their indices.
  std::vector<int> claim_free(const std::vector<os::Core>& cores);
  // Gives back those of which no CPU is in use.
  void keep_only(const std::vector<os::Core>& cores, const std::vector<os::Cpus>& used);

 private:
  std::map<int, os::Fd> held_;    // by index of core
};

}  // namespace weft::launcher
