// Which CPUs each rank of this node gets: a pure function of the machine, the number of ranks and what was asked. Unit
// tests run it on synthetic machines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/topology.hpp"

namespace weft::launcher {

enum class Level { automatic, none, hwthread, core, l3, numa, package, node };

struct Policy {
  Level map_by = Level::automatic;   // where the next rank goes
  Level bind_to = Level::automatic;  // how much of it the rank may use
  int per_object = 0;                // ppr:K:object; 0 without ppr
  int cores_per_rank = 0;            // PE=n; 0 means not said
};

// "core", "numa:PE=4", "ppr:2:l3:PE=2" and "core", "none"... The failure names the word and what is allowed.
Done parse_map_by(std::string_view text, Policy& policy);
Done parse_bind_to(std::string_view text, Policy& policy);

struct Placement {
  std::vector<os::Cpus> cpus;        // per local rank; empty means not bound
  bool bound = false;
  bool shared = false;               // ranks outnumber cores: waits should sleep early
  std::string why;                   // for the report
};

// free_cores: indices into cores that no other job holds. Without an explicit wish the ranks share these out among them,
// each a run of neighbours, so that the threads of a hybrid rank have cores; where they don't suffice nothing is bound.
Expected<Placement> place(const std::vector<os::Core>& cores, const std::vector<int>& free_cores, int quota, int ranks,
                          const Policy& policy);

}  // namespace weft::launcher
