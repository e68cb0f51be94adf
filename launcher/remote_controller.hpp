// The controller, as an agent on another host sees it: calls become frames on our standard output, frames on our standard
// input become calls to the agent. When that input ends, or falls silent, the controller is gone: everything here is ended.
#pragma once

#include <signal.h>

#include "launcher/agent.hpp"
#include "launcher/frames.hpp"
#include "launcher/messages.hpp"

namespace weft::launcher {

class RemoteController : public ControllerPort {
 public:
  // in, out: the standard streams the command that started us has connected with the controller.
  RemoteController(os::Fd in, os::Fd out, const sigset_t& handled, const sigset_t& user_mask);
  int run();

  void host_ready(int) override { pipe_.post("host_ready"); }
  void host_started(int, const StartReport& report) override { pipe_.post("host_started", report); }
  void host_failed(int, int exit_code, const std::string& why) override { pipe_.post("host_failed", exit_code, why); }
  void host_lost(int, const std::string&) override {}                     // agents don't lose themselves
  void rank_spoke(int rank, Stream stream, std::string_view text) override { pipe_.post("rank_spoke", rank, stream, std::string(text)); }
  void rank_joined(int rank) override { pipe_.post("rank_joined", rank); }
  void rank_ended(const RankEnd& end) override { pipe_.post("rank_ended", end); }
  void rank_aborted(const RankAbort& abort) override { pipe_.post("rank_aborted", abort.rank, abort.pid, abort.code, abort.message, abort.lost); }
  void fence_entered(int, const FenceId& fence, std::string cards) override { pipe_.post("fence_entered", fence, cards); }
  void cards_wanted(const CardQuestion& question) override { pipe_.post("cards_wanted", question); }
  void cards_given(const CardQuestion& question, bool found, std::string cards) override { pipe_.post("cards_given", question, found, cards); }
  void input_taken(std::size_t bytes) override { pipe_.post("input_taken", bytes); }
  void input_closed() override { pipe_.post("input_closed"); }
  void host_gone(int) override;

 private:
  void on_frame(const nlohmann::json& frame);
  void settle(const Surroundings& there);
  void hold(Stream stream, bool hold);
  void read_signals();
  void on_signal(int signal);
  [[noreturn]] void leave_at_once();

  os::Fd signals_;
  EventLoop loop_;
  FramePipe pipe_;
  Agent agent_;
  bool held_[2] = {false, false};      // as the controller wants it
  bool full_ = false;                  // our own pipe to it
};

}  // namespace weft::launcher
