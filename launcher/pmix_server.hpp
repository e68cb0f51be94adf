// The PMIx server of this node: tells the ranks the job's facts, holds their cards, hears their comings and goings. PMIx
// runs its own thread; what it says is queued here and read on the main thread. One per process.
#pragma once

#include <string>
#include <vector>

#include "launcher/job_map.hpp"
#include "launcher/pmix_exchange.hpp"
#include "launcher/upcalls.hpp"
#include "os/expected.hpp"
#include "os/topology.hpp"

namespace weft::launcher {

struct ServerFacts {
  const JobMap& map;
  int host;                    // which of the map's this is
  std::string directory;       // for the server's files
};

class PmixServer {
 public:
  PmixServer();
  Done start(const ServerFacts& facts, const os::Topology& topology);
  // Variables a rank needs to find the server, NAME=VALUE, appended to the environment.
  Done add_variables(int rank, std::vector<std::string>& environment);
  UpcallQueue& upcalls() noexcept { return upcalls_; }
  PmixExchange& exchange() noexcept { return exchange_; }

 private:
  Done register_job(const ServerFacts& facts);
  Done register_ranks(const ServerFacts& facts);

  std::string job_;
  UpcallQueue upcalls_;
  PmixExchange exchange_{upcalls_};
};

}  // namespace weft::launcher
