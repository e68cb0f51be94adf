// The PMIx server of this node: tells the ranks the job's facts, holds their cards, hears their comings and goings. PMIx
// runs its own thread; what it says is queued here and read on the main thread. One per process.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "os/expected.hpp"
#include "os/fd.hpp"
#include "os/topology.hpp"

namespace weft::launcher {

struct RankFacts {
  int program = 0;             // which part of the command line
  int rank_in_program = 0;
};

struct ServerFacts {
  std::string job;             // name of the job
  std::string host;
  std::string directory;       // for the server's files
  std::vector<RankFacts> ranks;
  int programs = 1;
};

struct Upcall {
  enum class Kind { connected, finalized, aborted };
  Kind kind;
  int rank;
  int code = 0;
  std::string message;
};

class PmixServer {
 public:
  PmixServer();
  Done start(const ServerFacts& facts, const os::Topology& topology);
  // Variables a rank needs to find the server, NAME=VALUE, appended to the environment.
  Done add_variables(int rank, std::vector<std::string>& environment);
  int wake_fd() const noexcept { return wake_.get(); }
  std::vector<Upcall> take_upcalls();

  void post(Upcall upcall);    // any thread

 private:
  Done register_job(const ServerFacts& facts);
  Done register_ranks(const ServerFacts& facts);

  std::string job_;
  os::Fd wake_;
  std::mutex mutex_;
  std::vector<Upcall> upcalls_;
};

}  // namespace weft::launcher
