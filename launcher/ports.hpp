// What the controller (one per job: decides) and the agents (one per host: serve and fork) say to each other. On one host
// the two are objects of one process and these are plain calls; to another host the calls travel as frames (remote_agent.hpp on
// the controller's side, remote_controller.hpp on the agent's). Nothing here waits for an answer: answers are calls back.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "launcher/job_map.hpp"

namespace weft::launcher {

enum class Stream { output = 0, error = 1 };

struct RankEnd {
  int rank;
  pid_t pid;
  int wait_status;       // as waitpid gives it
  bool connected;        // it joined the job through PMIx
  bool finalized;        // and left it
};

struct RankAbort {
  int rank;
  pid_t pid;
  int code;
  std::string message;
  int lost;              // the rank it aborts for, because that one is gone; -1: none
};

struct RankReport { int rank; pid_t pid; os::Cpus cpus; };
struct StartReport {
  std::string binding;              // why it is as it is
  std::vector<RankReport> ranks;
};

// A fence of ranks on several hosts: who takes part (ascending ranks, or none for all) and the how-manieth of just these.
struct FenceId {
  std::vector<int> ranks;
  std::uint64_t number = 0;
  auto operator<=>(const FenceId&) const = default;
};

// One agent wants the cards of a rank that lives with another.
struct CardQuestion {
  int from_host = 0;
  std::uint64_t number = 0;         // the asker's own
  int rank = 0;
};

// Standard input and output of the launcher, as the ranks should find them.
struct Terminal {
  bool output = false;              // a terminal of that size
  int rows = 0, columns = 0;
};

// All an agent needs to know.
struct StartOrder {
  JobMap map;
  int host = 0;                     // which of the map's is meant
  std::vector<Program> programs;
  Policy policy;
  bool whole_lines = false;
  bool inherit_input = false;       // the launcher's standard input is the agent's own
  int stdin_rank = 0;
  Terminal terminal;
};

class ControllerPort {
 public:
  virtual ~ControllerPort() = default;
  virtual void host_ready(int host) = 0;                                 // answers prepare()
  virtual void host_started(int host, const StartReport& report) = 0;    // answers start()
  virtual void host_failed(int host, int exit_code, const std::string& why) = 0;   // answers either; the agent is still there
  virtual void host_lost(int host, const std::string& why) = 0;          // the agent is not, and nothing more is heard of its ranks
  virtual void rank_spoke(int rank, Stream stream, std::string_view text) = 0;
  virtual void rank_joined(int rank) = 0;       // through PMIx
  virtual void rank_ended(const RankEnd& end) = 0;
  virtual void rank_aborted(const RankAbort& abort) = 0;
  virtual void fence_entered(int host, const FenceId& fence, std::string cards) = 0;
  virtual void cards_wanted(const CardQuestion& question) = 0;
  virtual void cards_given(const CardQuestion& question, bool found, std::string cards) = 0;
  virtual void input_taken(std::size_t bytes) = 0;                       // by the rank that has standard input
  virtual void input_closed() = 0;                                       // it wants no more
  virtual void host_gone(int host) = 0;         // after finish(): no descendant left, all output handed over
};

class AgentPort {
 public:
  virtual ~AgentPort() = default;
  virtual void prepare(StartOrder order) = 0;   // everything but the ranks
  virtual void start() = 0;                     // the ranks
  virtual void signal_ranks(int signal) = 0;    // once to every process of each rank's group
  virtual void kill_all() = 0;                  // SIGKILL to every descendant, until none is left
  virtual void finish() = 0;                    // all ranks have ended: clear up, then host_gone()
  virtual void hold_output(Stream stream, bool hold) = 0;
  virtual void fence_done(const FenceId& fence, const std::string& cards) = 0;
  virtual void give_cards(const CardQuestion& question) = 0;             // of a rank of this host
  virtual void take_cards(const CardQuestion& question, bool found, const std::string& cards) = 0;   // as it asked
  virtual void take_input(std::string_view bytes) = 0;                   // nothing: the end
  virtual void children_changed() = 0;          // SIGCHLD came
  virtual void kill_now_and_clear() noexcept = 0;   // the emergency exit: no PMIx, no loop
};

}  // namespace weft::launcher
