// Frames to calls, and the ends an agent can come to.
#include "launcher/remote_controller.hpp"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "launcher/guard.hpp"
#include "launcher/say.hpp"

namespace weft::launcher {

RemoteController::RemoteController(os::Fd in, os::Fd out, const sigset_t& handled, const sigset_t& user_mask)
    : signals_(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK)),
      pipe_(loop_, std::move(in), std::move(out),
            {[this](const nlohmann::json& frame) { on_frame(frame); },
             [this](const std::string& why) {
               if (!why.empty()) say("lost the launcher, so all ranks here are ended: {}", why);
               leave_at_once();
             },
             [this](bool full) {
               full_ = full;
               for (const Stream stream : {Stream::output, Stream::error}) hold(stream, held_[static_cast<std::size_t>(stream)]);
             }}),
      agent_(loop_, *this, user_mask) {
  loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) { read_signals(); });
}

int RemoteController::run() {
  loop_.run();
  return 0;
}

void RemoteController::on_frame(const nlohmann::json& frame) {
  const std::string& name = frame.at(0).get_ref<const std::string&>();
  if (name == "surroundings") settle(frame.at(1).get<Surroundings>());
  else if (name == "prepare") agent_.prepare(frame.at(1).get<StartOrder>());
  else if (name == "start") agent_.start();
  else if (name == "signal_ranks") {
    const int signal = frame.at(1).get<int>();
    agent_.signal_ranks(signal);
    if (signal == SIGTSTP) pipe_.excuse_silence();       // the launcher stops itself, too
  }
  else if (name == "kill_all") agent_.kill_all();
  else if (name == "finish") agent_.finish();
  else if (name == "hold_output") hold(frame.at(1).get<Stream>(), frame.at(2).get<bool>());
  else if (name == "fence_done") agent_.fence_done(frame.at(1).get<FenceId>(), frame.at(2).get_ref<const std::string&>());
  else if (name == "give_cards") agent_.give_cards(frame.at(1).get<CardQuestion>());
  else if (name == "take_cards") agent_.take_cards(frame.at(1).get<CardQuestion>(), frame.at(2).get<bool>(), frame.at(3).get_ref<const std::string&>());
  else if (name == "take_input") agent_.take_input(frame.at(1).get_ref<const std::string&>());
  else if (name == "goodbye") loop_.stop();
}

// As it is where the job was started: environment, folder, file mask.
void RemoteController::settle(const Surroundings& there) {
  pipe_.write_raw(there.secret);
  pipe_.watch_silence(there.silence_limit_s);
  if (there.version != WEFT_VERSION) {
    say("weft {} here, {} where the job was started", WEFT_VERSION, there.version);
    leave_at_once();
  }
  (void)::clearenv();
  for (const std::string& entry : there.environment)
    if (const std::size_t equals = entry.find('='); equals != std::string::npos && equals > 0)
      (void)::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
  (void)::umask(there.file_mask);
  if (::chdir(there.directory.c_str()) != 0) {
    say("working folder {}: {}", there.directory, std::strerror(errno));
    leave_at_once();
  }
}

void RemoteController::hold(Stream stream, bool hold) {
  held_[static_cast<std::size_t>(stream)] = hold;
  agent_.hold_output(stream, hold || full_);
}

void RemoteController::read_signals() {
  const Heard heard = hear(signals_.get());
  if (heard.guard_lost) leave_at_once();
  for (const int signal : heard.handed_on) on_signal(signal);
  if (heard.children) agent_.children_changed();
}

// Ours alone: what is meant for the ranks comes from the controller.
void RemoteController::on_signal(int signal) {
  if (signal != SIGTERM && signal != SIGINT && signal != SIGHUP && signal != SIGQUIT) return;
  say("the agent was told to end by SIG{}", ::sigabbrev_np(signal));
  leave_at_once();
}

// The controller answers with goodbye once it has read everything.
void RemoteController::host_gone(int) { pipe_.post("host_gone"); }

void RemoteController::leave_at_once() {
  (void)pipe_.flush(0);
  agent_.kill_now_and_clear();
  ::_exit(1);
}

}  // namespace weft::launcher
