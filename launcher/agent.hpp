// The agent of this host: places the ranks, serves PMIx, starts and reaps them, reads what they say. Main thread.
#pragma once

#include <signal.h>

#include <memory>
#include <optional>
#include <vector>

#include "launcher/core_claims.hpp"
#include "launcher/event_loop.hpp"
#include "launcher/input.hpp"
#include "launcher/output.hpp"
#include "launcher/pmix_server.hpp"
#include "launcher/ports.hpp"
#include "launcher/session_directory.hpp"
#include "launcher/spawn.hpp"

namespace weft::launcher {

class Agent : public AgentPort {
 public:
  Agent(EventLoop& loop, ControllerPort& controller, const sigset_t& user_mask);
  ~Agent() override;

  Expected<StartReport> start(const JobRequest& request) override;
  void signal_ranks(int signal) override;
  void kill_all() override;
  void finish() override;
  void hold_output(Stream stream, bool hold) override;

  void children_changed();            // SIGCHLD came
  void kill_now_and_clear() noexcept; // the emergency exit: no PMIx, no loop

 private:
  struct Rank {
    pid_t pid = 0;
    bool connected = false, finalized = false, ended = false;
    os::Fd pipes[2];                  // its stdout and stderr
    std::optional<LineReader> lines[2];
  };

  Expected<Placement> place_ranks(const JobRequest& request);
  Done start_rank(const JobRequest& request, const Program& program, int rank);
  Done open_streams(const JobRequest& request, int rank, SpawnRequest& spawn, os::Fd (&ours)[3], os::Fd (&theirs)[3]);
  void read_upcalls();
  void read_pipe(Rank& rank, Stream stream, bool to_the_end);
  void close_pipe(Rank& rank, Stream stream);
  void show_prompts();
  void drain(Rank& rank, Stream stream);
  void rank_exited(int number, int wait_status);
  bool reap();                        // false: no child is left
  void clear_up();

  EventLoop& loop_;
  ControllerPort& controller_;
  sigset_t user_mask_;
  std::string host_;
  SessionDirectory directory_;
  std::optional<os::Topology> topology_;
  CoreClaims claims_;
  Placement placement_;
  PmixServer server_;
  std::vector<std::string> base_environment_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::unique_ptr<TerminalRelay> terminal_;
  os::Fd null_;
  bool held_[2] = {false, false};
  bool prompts_timed_ = false;
  bool killing_ = false, finishing_ = false, gone_ = false;
};

}  // namespace weft::launcher
