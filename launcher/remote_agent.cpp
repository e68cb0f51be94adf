// Starting the command, frames to calls, and noticing the end.
#include "launcher/remote_agent.hpp"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "launcher/environment.hpp"
#include "launcher/rank_streams.hpp"
#include "launcher/say.hpp"
#include "launcher/spawn.hpp"

namespace weft::launcher {
namespace {

using nlohmann::json;

constexpr std::int64_t farewell_ms = 5000;       // for an agent to clear up, and the command to end
constexpr std::int64_t last_resort_ms = 1000;

std::string for_shell(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word) {
    if (c == '\'') result += "'\\'";
    result += c;
  }
  result += '\'';
  return result;
}

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

// One line for a shell. Remote shells join their arguments and have a shell of their own read the result: a path with blanks
// needs a second coat for them.
std::string command_line(const std::string& command, const std::string& host) {
  std::string line;
  bool named = false;
  for (std::size_t at = 0; at < command.size(); ++at) {
    named |= command.compare(at, 2, "%h") == 0;
    if (command.compare(at, 2, "%h") == 0) { line += host; ++at; }
    else line += command[at];
  }
  if (!named) line += " " + host;
  const std::string first = std::filesystem::path(command.substr(0, command.find(' '))).filename();
  std::string path = for_shell(own_path());
  if (path != own_path() && (first == "ssh" || first == "rsh")) path = for_shell(path);
  return fmt::format("{} {} {}", line, path, agent_word);
}

Surroundings own_surroundings(const AgentSettings& settings) {
  Surroundings here;
  here.version = WEFT_VERSION;
  here.secret = settings.secret;
  here.environment = Environment::inherited().entries();
  if (char* const directory = ::get_current_dir_name(); directory != nullptr) {
    here.directory = directory;
    std::free(directory);
  }
  here.file_mask = ::umask(0);
  (void)::umask(here.file_mask);
  here.silence_limit_s = settings.silence_limit_s;
  return here;
}

std::string how_it_ended(int wait_status) {
  if (WIFSIGNALED(wait_status)) return fmt::format("was killed by signal {} (SIG{})", WTERMSIG(wait_status), ::sigabbrev_np(WTERMSIG(wait_status)));
  return fmt::format("ended with code {}", WEXITSTATUS(wait_status));
}

}  // namespace

RemoteAgent::RemoteAgent(EventLoop& loop, ControllerPort& controller, int host, std::string name, AgentSettings settings)
    : loop_(loop), controller_(controller), host_(host), name_(std::move(name)), settings_(std::move(settings)) {}

RemoteAgent::~RemoteAgent() {
  if (aside_) loop_.forget(aside_.get());
}

void RemoteAgent::prepare(StartOrder order) {
  if (const Done launched = launch(); !launched) {
    loop_.after_ms(0, [this, why = launched.failure().note] {
      lose(why);
      report_end();
    });
    return;
  }
  pipe_->watch_silence(settings_.silence_limit_s);
  post("surroundings", own_surroundings(settings_));
  post("prepare", order);
}

Done RemoteAgent::launch() {
  os::Fd theirs[3], to_it, from_it;
  if (Done done = open_pipe(theirs[0], to_it); !done) return done;
  if (Done done = open_pipe(from_it, theirs[1]); !done) return done;
  if (Done done = open_pipe(aside_, theirs[2]); !done) return done;
  SpawnRequest request;
  request.path = settings_.command.empty() ? own_path() : "/bin/sh";
  request.command = {own_path(), agent_word};
  if (!settings_.command.empty()) request.command = {"sh", "-c", command_line(settings_.command, name_)};
  request.environment = Environment::inherited().entries();
  request.death_signal = SIGTERM;                // time to clear up
  sigemptyset(&request.mask);
  for (int number = 0; number < 3; ++number) request.streams[number] = theirs[number].get();
  const Expected<pid_t> pid = spawn(request);
  if (!pid) return pid.failure();
  pid_ = *pid;
  FramePipe::Events events{[this](const json& frame) { on_frame(frame); }, [this](const std::string& why) { on_end(why); }, {}};
  pipe_ = std::make_unique<FramePipe>(loop_, std::move(from_it), std::move(to_it), std::move(events));
  pipe_->skip_until(settings_.secret);
  aside_lines_.emplace(true, [this](std::string_view text) { said_aside(text); });
  loop_.watch(aside_.get(), EPOLLIN, [this](std::uint32_t) { read_aside(); });
  return Nothing{};
}

// Complaints of the command, and of the agent itself, which are ours already.
void RemoteAgent::said_aside(std::string_view text) const {
  if (leaving_) return;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    if (line.starts_with("weftrun: ")) line.remove_prefix(9);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) say("host {}: {}", name_, line);
    start = end + 1;
  }
}

void RemoteAgent::read_aside() {
  if (aside_lines_->read_some(aside_.get()) != LineReader::Result::end) return;
  aside_lines_->finish();
  loop_.forget(aside_.get());
  aside_.reset();
}

void RemoteAgent::on_frame(const json& frame) {
  const std::string& name = frame.at(0).get_ref<const std::string&>();
  heard_ = true;
  const auto text = [&frame](std::size_t index) -> const std::string& { return frame.at(index).get_ref<const std::string&>(); };
  if (name == "host_ready") controller_.host_ready(host_);
  else if (name == "host_started") controller_.host_started(host_, frame.at(1).get<StartReport>());
  else if (name == "host_failed") controller_.host_failed(host_, frame.at(1).get<int>(), text(2));
  else if (name == "rank_spoke") controller_.rank_spoke(frame.at(1).get<int>(), frame.at(2).get<Stream>(), text(3));
  else if (name == "rank_joined") controller_.rank_joined(frame.at(1).get<int>());
  else if (name == "rank_ended") controller_.rank_ended(frame.at(1).get<RankEnd>());
  else if (name == "rank_aborted")
    controller_.rank_aborted({frame.at(1).get<int>(), frame.at(2).get<pid_t>(), frame.at(3).get<int>(), text(4), frame.at(5).get<int>()});
  else if (name == "fence_entered") controller_.fence_entered(host_, frame.at(1).get<FenceId>(), text(2));
  else if (name == "cards_wanted") controller_.cards_wanted(frame.at(1).get<CardQuestion>());
  else if (name == "cards_given") controller_.cards_given(frame.at(1).get<CardQuestion>(), frame.at(2).get<bool>(), text(3));
  else if (name == "input_taken") controller_.input_taken(frame.at(1).get<std::size_t>());
  else if (name == "input_closed") controller_.input_closed();
  else if (name == "host_gone") {
    leaving_ = true;
    post("goodbye");
    expect_end();
  }
}

void RemoteAgent::finish() {
  if (heard_) return post("finish");
  leaving_ = true;                               // perhaps the way to the host is still being sought
  end_command(SIGTERM);
  expect_end();
}

void RemoteAgent::end_command(int signal) noexcept {
  if (pid_ == 0) return;
  (void)::kill(-pid_, signal);
  (void)::kill(-pid_, SIGCONT);
}

// The end has two halves, that of what it says and that of the command; either may come first, and is waited for, but not for ever.
void RemoteAgent::expect_end() {
  if (ended_ && pid_ == 0) return report_end();
  if (std::exchange(end_expected_, true)) return;
  loop_.after_ms(farewell_ms, [this] {
    end_command(SIGKILL);
    loop_.after_ms(last_resort_ms, [this] { report_end(); });
  });
}

void RemoteAgent::on_end(const std::string& why) {
  ended_ = true;
  if (!why.empty()) {                            // it hangs, or talks nonsense
    lose(why);
    end_command(SIGTERM);
  }
  expect_end();
}

void RemoteAgent::children_changed() {
  if (pid_ == 0 || ::waitpid(pid_, &wait_status_, WNOHANG) != pid_) return;
  pid_ = 0;
  if (aside_) read_aside();                      // its last words
  expect_end();
}

void RemoteAgent::lose(const std::string& why) {
  if (leaving_) return;
  leaving_ = true;
  controller_.host_lost(host_, fmt::format("host {}: {}", name_, why));
}

void RemoteAgent::report_end() {
  if (gone_) return;
  gone_ = true;
  if (!leaving_ && heard_) lose("the agent " + how_it_ended(wait_status_));
  if (!leaving_) lose(fmt::format("can't be reached: '{}' {}", settings_.command.empty() ? own_path() : command_line(settings_.command, name_),
                                  how_it_ended(wait_status_)));
  controller_.host_gone(host_);
}

// The agent clears up when its input ends; a command that hangs is ended with all descendants later.
void RemoteAgent::kill_now_and_clear() noexcept {
  if (pipe_) pipe_->close();
  end_command(SIGTERM);
}

}  // namespace weft::launcher
