// What the controller (one per job: decides) and the agents (one per host: serve and fork) say to each other. On one host
// the two are objects of one process and these are plain calls; an agent elsewhere stands behind the same two interfaces.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "launcher/job_request.hpp"

namespace weft::launcher {

enum class Stream { output = 0, error = 1 };

struct RankEnd {
  int rank;
  pid_t pid;
  int wait_status;       // as waitpid gives it
  bool connected;        // it joined the job through PMIx
  bool finalized;        // and left it
};

class ControllerPort {
 public:
  virtual ~ControllerPort() = default;
  virtual void rank_spoke(int rank, Stream stream, std::string_view text) = 0;
  virtual void rank_joined(int rank) = 0;       // through PMIx
  virtual void rank_ended(const RankEnd& end) = 0;
  virtual void rank_aborted(int rank, pid_t pid, int code, const std::string& message) = 0;
  virtual void all_gone() = 0;      // after finish(): no descendant left, all output handed over
};

struct RankReport { int rank; pid_t pid; os::Cpus cpus; };
struct StartReport {
  std::string host;
  std::string binding;              // why it is as it is
  std::vector<RankReport> ranks;
};

class AgentPort {
 public:
  virtual ~AgentPort() = default;
  virtual Expected<StartReport> start(const JobRequest& request) = 0;
  virtual void signal_ranks(int signal) = 0;    // once to every process of each rank's group
  virtual void kill_all() = 0;                  // SIGKILL to every descendant, until none is left
  virtual void finish() = 0;                    // all ranks have ended: clear up, then all_gone()
  virtual void hold_output(Stream stream, bool hold) = 0;
};

}  // namespace weft::launcher
