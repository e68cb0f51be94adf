// An agent on another host, as the controller sees it. It is started by a command (ssh, or what the user says) and spoken to over
// that command's standard input and output: no port is open that a stranger could knock at, and either side's end is seen as
// the end of a stream. The job's secret goes in by that way only, and coming back marks where the agent's own words begin.
#pragma once

#include <memory>
#include <string>

#include "launcher/frames.hpp"
#include "launcher/messages.hpp"
#include "launcher/output.hpp"

namespace weft::launcher {

// The first argument of the launcher when it is to be an agent.
inline constexpr const char* agent_word = "--as-agent";

struct AgentSettings {
  std::string command;               // with %h; empty: this machine, no command needed
  std::string secret;
  double silence_limit_s = 0;
};

class RemoteAgent : public AgentPort {
 public:
  RemoteAgent(EventLoop& loop, ControllerPort& controller, int host, std::string name, AgentSettings settings);
  ~RemoteAgent() override;

  void prepare(StartOrder order) override;
  void start() override { post("start"); }
  void signal_ranks(int signal) override { post("signal_ranks", signal); }
  void kill_all() override { post("kill_all"); }
  void finish() override;
  void hold_output(Stream stream, bool hold) override { post("hold_output", stream, hold); }
  void fence_done(const FenceId& fence, const std::string& cards) override { post("fence_done", fence, cards); }
  void give_cards(const CardQuestion& question) override { post("give_cards", question); }
  void take_cards(const CardQuestion& question, bool found, const std::string& cards) override { post("take_cards", question, found, cards); }
  void take_input(std::string_view bytes) override { post("take_input", std::string(bytes)); }
  void children_changed() override;
  void kill_now_and_clear() noexcept override;

 private:
  template <typename... Values>
  void post(const char* name, const Values&... values) { if (pipe_) pipe_->post(name, values...); }
  Done launch();
  void on_frame(const nlohmann::json& frame);
  void on_end(const std::string& why);
  void expect_end();
  void report_end();
  void lose(const std::string& why);
  void end_command(int signal) noexcept;
  void said_aside(std::string_view text) const;
  void read_aside();

  EventLoop& loop_;
  ControllerPort& controller_;
  int host_;
  std::string name_;
  AgentSettings settings_;
  std::unique_ptr<FramePipe> pipe_;
  os::Fd aside_;                     // the command's stderr
  std::optional<LineReader> aside_lines_;
  pid_t pid_ = 0;                    // of the command, 0 when it has ended
  int wait_status_ = 0;
  bool heard_ = false;               // it has said something
  bool leaving_ = false;             // it has said goodbye, or was told to go before it said anything
  bool ended_ = false;               // nothing more comes from it
  bool end_expected_ = false;
  bool gone_ = false;                // and the controller knows that nothing of it is left
};

}  // namespace weft::launcher
