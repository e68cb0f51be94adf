// Decides: when the job has failed and with which code, whom to tell, when to send which signal, when all is over. Main
// thread.
#pragma once

#include <signal.h>

#include <memory>
#include <optional>

#include "launcher/agent.hpp"
#include "launcher/event_loop.hpp"
#include "launcher/output.hpp"
#include "launcher/ports.hpp"

namespace weft::launcher {

class Controller : public ControllerPort {
 public:
  // handled: the signals that are blocked and ours to read; user_mask: what the ranks get.
  Controller(JobRequest request, const sigset_t& handled, const sigset_t& user_mask);
  int run();                                   // the launcher's exit code

  void rank_spoke(int rank, Stream stream, std::string_view text) override;
  void rank_joined(int rank) override;
  void rank_ended(const RankEnd& end) override;
  void rank_aborted(int rank, pid_t pid, int code, const std::string& message) override;
  void all_gone() override;

 private:
  void read_signals();
  void on_signal(int signal);
  void check_absent();
  void on_broken_output(int error);
  void end_job(int signal, std::int64_t grace_ms);
  void fail(int code) { if (!verdict_) verdict_ = code; }
  void report(const StartReport& started) const;
  void stop_when_written();
  [[noreturn]] void leave_at_once();
  OutputStream& stream(Stream which) noexcept { return which == Stream::output ? output_ : error_; }

  JobRequest request_;
  os::Fd signals_;
  EventLoop loop_;
  OutputStream output_, error_;
  Agent agent_;
  std::string host_;
  std::optional<int> verdict_;                 // the exit code, once something went wrong
  int ended_ = 0;
  bool joined_ = false;                        // some rank uses MPI
  std::optional<RankEnd> absent_;              // the first that ended well without ever joining
  bool ending_ = false;                        // the ranks were told to end
  bool gone_ = false;
};

}  // namespace weft::launcher
