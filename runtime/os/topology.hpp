// The machine as the launcher and weft-info see it: cores with their package, NUMA node and L3, inside the set of CPUs
// this process may use (cgroup cpuset and affinity mask). Loaded once per node, by the launcher; ranks never load it, for
// them allowed_cpus() is enough. All CPU numbers are the operating system's. Tests set HWLOC_SYNTHETIC.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/expected.hpp"

struct hwloc_topology;

namespace weft::os {

using Cpus = std::vector<int>;                 // ascending

std::string format_cpus(const Cpus& cpus);     // "0-3,8"; "none" when empty
Cpus allowed_cpus();                           // by sched_getaffinity, of the calling thread
bool outnumber_cores(std::size_t ranks);        // do this node's ranks outnumber the CPUs they share?
int cpu_quota();                               // whole CPUs the cgroup grants (rounded up), 0 when unlimited

struct Core {
  Cpus cpus;                                   // its hardware threads
  int package = 0, numa = 0, l3 = 0;           // logical indices
};

class Topology {
 public:
  // Whole machine cut down to the allowed CPUs. Without I/O devices, so that no PCI or GPU scan is paid for.
  static Expected<Topology> load();

  const std::vector<Core>& cores() const noexcept { return cores_; }
  bool real() const noexcept { return real_; } // false for a synthetic machine: binding then does nothing
  hwloc_topology* handle() const noexcept { return handle_.get(); }

 private:
  struct Destroy { void operator()(hwloc_topology* topology) const noexcept; };
  std::unique_ptr<hwloc_topology, Destroy> handle_;
  std::vector<Core> cores_;
  bool real_ = true;
};

}  // namespace weft::os
