// Decides: when the job has failed and with which code, whom to tell, when to send which signal, when all is over. Main
// thread.
#pragma once

#include <signal.h>

#include <memory>
#include <optional>

#include "launcher/event_loop.hpp"
#include "launcher/fences.hpp"
#include "launcher/input.hpp"
#include "launcher/output.hpp"
#include "launcher/ports.hpp"

namespace weft::launcher {

class Controller : public ControllerPort {
 public:
  // handled: the signals that are blocked and ours to read; user_mask: what the ranks get.
  Controller(JobRequest request, JobMap map, const sigset_t& handled, const sigset_t& user_mask);
  int run();                                   // the launcher's exit code

  void host_ready(int host) override;
  void host_started(int host, const StartReport& report) override;
  void host_failed(int host, int exit_code, const std::string& why) override;
  void host_lost(int host, const std::string& why) override;
  void rank_spoke(int rank, Stream stream, std::string_view text) override;
  void rank_joined(int rank) override;
  void rank_ended(const RankEnd& end) override;
  void rank_aborted(const RankAbort& abort) override;
  void fence_entered(int host, const FenceId& fence, std::string cards) override;
  void cards_wanted(const CardQuestion& question) override;
  void cards_given(const CardQuestion& question, bool found, std::string cards) override;
  void input_taken(std::size_t bytes) override;
  void input_closed() override;
  void host_gone(int host) override;

 private:
  enum class Phase { preparing, ready, started, gone };
  struct HostState {
    std::unique_ptr<AgentPort> agent;
    Phase phase = Phase::preparing;
    std::optional<StartReport> report;
  };

  void make_agents(const sigset_t& user_mask);
  StartOrder order_for(int host) const;
  bool several_hosts() const noexcept { return map_.hosts.size() > 1; }
  std::size_t host_index(int rank) const { return static_cast<std::size_t>(map_.ranks[static_cast<std::size_t>(rank)].host); }
  const std::string& host_of(int rank) const { return map_.hosts[host_index(rank)]; }
  AgentPort& agent_of(int rank) { return *hosts_[host_index(rank)].agent; }
  void tell_all(const std::function<void(AgentPort&)>& tell);

  void read_signals();
  void on_signal(int signal);
  void check_absent();
  void end_for(const RankAbort& abort);
  void on_broken_output(int error);
  void end_job(int signal, std::int64_t grace_ms);
  void give_up_ranks(int host);
  void finish_when_ended();
  void fail(int code) { if (!verdict_) verdict_ = code; }
  void report() const;
  void stop_when_written();
  [[noreturn]] void leave_at_once();
  OutputStream& stream(Stream which) noexcept { return which == Stream::output ? output_ : error_; }

  JobRequest request_;
  JobMap map_;
  os::Fd signals_;
  EventLoop loop_;
  OutputStream output_, error_;
  Fences fences_;
  std::vector<HostState> hosts_;
  std::unique_ptr<InputRelay> input_;
  std::optional<int> verdict_;                 // the exit code, once something went wrong
  std::vector<bool> ended_;                    // by rank
  std::size_t ended_count_ = 0;
  bool joined_ = false;                        // some rank uses MPI
  std::optional<RankEnd> absent_;              // the first that ended well without ever joining
  bool started_ = false;                       // the ranks were told to start
  bool ending_ = false;                        // the ranks were told to end
  bool finishing_ = false;                     // all ranks have ended
  bool gone_ = false;
};

}  // namespace weft::launcher
