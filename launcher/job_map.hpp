// Which rank runs where: a pure function of the programs, their hosts and the policy. Every agent is given the whole map, since
// each rank is told the host of every other.
#pragma once

#include <string>
#include <vector>

#include "launcher/job_request.hpp"

namespace weft::launcher {

struct RankPlace {
  int host = 0;                // index into hosts
  int program = 0;             // which part of the command line
  int rank_in_program = 0;
};

struct JobMap {
  std::string job;             // its name: the PMIx namespace
  std::vector<std::string> hosts;
  std::vector<RankPlace> ranks;
  int programs = 1;
  int slots = 1;               // ranks there is room for

  std::vector<int> ranks_of(int host) const;      // ascending
};

// Hosts are filled in order, each up to its slots, and over again when there are more ranks than slots; --map-by node deals
// the ranks out one a host, ppr:K:node K a host.
Expected<JobMap> map_job(const JobRequest& request);

}  // namespace weft::launcher
