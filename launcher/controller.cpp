// The course of a job.
#include "launcher/controller.hpp"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>

#include "launcher/agent.hpp"
#include "launcher/descendants.hpp"
#include "launcher/guard.hpp"
#include "launcher/remote_agent.hpp"
#include "launcher/say.hpp"

namespace weft::launcher {
namespace {

constexpr int signal_base = 128;
constexpr int time_limit_code = 124;
constexpr std::int64_t failure_grace_ms = 500;   // survivors of a failed rank have nothing to save but their last lines
constexpr std::int64_t lost_rank_ms = 1000;      // for the end of a rank that another one has noticed
constexpr int agents_grace_ms = 3000;            // for agents that must leave at once

std::int64_t to_ms(double seconds) { return static_cast<std::int64_t>(std::ceil(seconds * 1000)); }

int exit_code_of(const RankEnd& end) {
  if (WIFSIGNALED(end.wait_status)) return signal_base + WTERMSIG(end.wait_status);
  const int code = WEXITSTATUS(end.wait_status);
  return code == 0 && end.connected && !end.finalized ? 1 : code;
}

std::string what_happened(const RankEnd& end) {
  if (WIFSIGNALED(end.wait_status)) {
    const int signal = WTERMSIG(end.wait_status);
    return fmt::format("killed by signal {} (SIG{}, {}){}", signal, ::sigabbrev_np(signal), ::sigdescr_np(signal),
                       WCOREDUMP(end.wait_status) ? ", core dumped" : "");
  }
  const int code = WEXITSTATUS(end.wait_status);
  return fmt::format("exited with code {}{}", code, end.connected && !end.finalized ? " without MPI_Finalize" : "");
}

// Known to the agents of this job and nobody else.
std::string make_secret() {
  std::uint64_t chance[2];
  if (::getrandom(chance, sizeof chance, 0) != sizeof chance) throw std::system_error(errno, std::generic_category(), "getrandom");
  return fmt::format("{:016x}{:016x}", chance[0], chance[1]);
}

Terminal own_terminal() {
  Terminal terminal;
  winsize size{};
  terminal.output = ::isatty(STDOUT_FILENO) != 0;
  if (terminal.output && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    terminal.rows = size.ws_row;
    terminal.columns = size.ws_col;
  }
  return terminal;
}

}  // namespace

Controller::Controller(JobRequest request, JobMap map, const sigset_t& handled, const sigset_t& user_mask)
    : request_(std::move(request)),
      map_(std::move(map)),
      signals_(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK)),
      output_(loop_, STDOUT_FILENO, request_.label, request_.ranks() == 1),
      error_(loop_, STDERR_FILENO, request_.label, request_.ranks() == 1),
      fences_(map_),
      hosts_(map_.hosts.size()),
      ended_(map_.ranks.size(), false) {
  loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) { read_signals(); });
  for (const Stream which : {Stream::output, Stream::error}) {
    stream(which).on_room = [this, which] {
      tell_all([which](AgentPort& agent) { agent.hold_output(which, false); });
      stop_when_written();
    };
    stream(which).on_broken = [this](int error) { on_broken_output(error); };
  }
  make_agents(user_mask);
}

// One host that is this machine needs no process besides ours.
void Controller::make_agents(const sigset_t& user_mask) {
  if (!several_hosts() && is_this_machine(map_.hosts.front())) {
    hosts_.front().agent = std::make_unique<Agent>(loop_, *this, user_mask);
    return;
  }
  Guard::expect_agents();
  const std::string secret = make_secret();
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    const std::string& name = map_.hosts[host];
    AgentSettings settings{is_this_machine(name) ? "" : request_.agent_command, secret, request_.host_timeout_s};
    hosts_[host].agent = std::make_unique<RemoteAgent>(loop_, *this, static_cast<int>(host), name, std::move(settings));
  }
}

StartOrder Controller::order_for(int host) const {
  const bool here = !several_hosts() && is_this_machine(map_.hosts.front());
  StartOrder order;
  order.map = map_;
  order.host = host;
  order.programs = request_.programs;
  order.policy = request_.policy;
  order.whole_lines = request_.label || request_.ranks() > 1;
  order.inherit_input = here && ::isatty(STDIN_FILENO) == 0;
  order.stdin_rank = request_.stdin_rank;
  order.terminal = own_terminal();
  return order;
}

void Controller::tell_all(const std::function<void(AgentPort&)>& tell) {
  for (HostState& host : hosts_)
    if (host.phase != Phase::gone) tell(*host.agent);
}

// Nobody reads any more: as if it had hit the ranks themselves, that is SIGPIPE. Anything else is a loss and said. The verdict
// stands at once: the job may be over before the next turn of the loop.
void Controller::on_broken_output(int error) {
  if (error != EPIPE && !verdict_) say("output of the ranks can't be written: {}", std::strerror(error));
  fail(error == EPIPE ? signal_base + SIGPIPE : 1);
  loop_.after_ms(0, [this] {                   // not in the middle of an agent's call
    end_job(SIGTERM, failure_grace_ms);
    stop_when_written();
  });
}

int Controller::run() {
  if (request_.timeout_s > 0)
    loop_.after_ms(to_ms(request_.timeout_s), [this] {
      if (verdict_ || gone_) return;
      say("time limit of {} s reached: ending the job", request_.timeout_s);
      fail(time_limit_code);
      end_job(SIGTERM, to_ms(request_.grace_s));
    });
  for (std::size_t host = 0; host < hosts_.size(); ++host) hosts_[host].agent->prepare(order_for(static_cast<int>(host)));
  loop_.run();
  kill_descendants();                          // what an agent's command may have left
  return verdict_.value_or(0);
}

// No rank starts before every host is ready for it.
void Controller::host_ready(int host) {
  hosts_[static_cast<std::size_t>(host)].phase = Phase::ready;
  const bool all_ready = std::all_of(hosts_.begin(), hosts_.end(), [](const HostState& state) { return state.phase == Phase::ready; });
  if (!all_ready || ending_) return;
  started_ = true;
  const bool relayed = request_.stdin_rank >= 0 && request_.stdin_rank < request_.ranks() && !order_for(0).inherit_input;
  for (HostState& state : hosts_) {
    state.phase = Phase::started;
    state.agent->start();
  }
  if (!relayed || ending_) return;
  input_ = std::make_unique<InputRelay>(loop_, [this](std::string_view bytes) { agent_of(request_.stdin_rank).take_input(bytes); });
}

void Controller::host_started(int host, const StartReport& started) {
  hosts_[static_cast<std::size_t>(host)].report = started;
  const bool all = std::all_of(hosts_.begin(), hosts_.end(), [](const HostState& state) { return state.report.has_value(); });
  if (all && request_.report) report();
}

void Controller::report() const {
  std::vector<std::string> lines(map_.ranks.size());
  for (const HostState& host : hosts_)
    for (const RankReport& rank : host.report->ranks)
      lines[static_cast<std::size_t>(rank.rank)] = fmt::format("rank {} on {}: pid {}, CPUs {} ({})", rank.rank, host_of(rank.rank), rank.pid,
                                                               os::format_cpus(rank.cpus), host.report->binding);
  for (const std::string& line : lines) say("{}", line);
}

void Controller::host_failed(int host, int exit_code, const std::string& why) {
  if (!verdict_) say("{}", why);
  fail(exit_code);
  give_up_ranks(host);
  end_job(SIGTERM, failure_grace_ms);
}

// The others learn of it by being ended. A verdict that was there before stays: losing the host was its consequence.
void Controller::host_lost(int host, const std::string& why) {
  if (!verdict_ && !finishing_) say("{}", why);
  if (!finishing_) fail(1);
  give_up_ranks(host);
  end_job(SIGTERM, failure_grace_ms);
}

// Nothing will be heard of them.
void Controller::give_up_ranks(int host) {
  for (const int rank : map_.ranks_of(host)) {
    if (ended_[static_cast<std::size_t>(rank)]) continue;
    ended_[static_cast<std::size_t>(rank)] = true;
    ++ended_count_;
  }
  finish_when_ended();
}

void Controller::finish_when_ended() {
  if (finishing_ || ended_count_ < ended_.size()) return;
  finishing_ = true;
  if (input_) input_->stop();
  tell_all([](AgentPort& agent) { agent.finish(); });
}

void Controller::rank_spoke(int rank, Stream which, std::string_view text) {
  stream(which).write(rank, text);
  if (stream(which).full()) tell_all([which](AgentPort& agent) { agent.hold_output(which, true); });
}

void Controller::rank_joined(int) {
  joined_ = true;
  check_absent();
}

// A plain program may end when it likes; but where one rank uses MPI, the start of all others waits for each of them.
void Controller::check_absent() {
  if (!joined_ || !absent_ || verdict_) return;
  say("rank {} (pid {}) on {}: exited with code 0 without MPI_Init, for which other ranks wait", absent_->rank, absent_->pid, host_of(absent_->rank));
  fail(1);
  end_job(SIGTERM, failure_grace_ms);
}

void Controller::rank_ended(const RankEnd& end) {
  if (ended_[static_cast<std::size_t>(end.rank)]) return;
  ended_[static_cast<std::size_t>(end.rank)] = true;
  ++ended_count_;
  if (!end.connected && !absent_ && WIFEXITED(end.wait_status) && WEXITSTATUS(end.wait_status) == 0) absent_ = end;
  check_absent();
  const int code = exit_code_of(end);
  if (code != 0 && !verdict_) {
    say("rank {} (pid {}) on {}: {}", end.rank, end.pid, host_of(end.rank), what_happened(end));
    fail(code);
    if (!end.finalized) end_job(SIGTERM, failure_grace_ms);   // after a clean goodbye nobody waits for it
  }
  finish_when_ended();
}

// Who aborts because another rank is gone may be heard before the end of that one, which says more and has the exit code. It
// comes soon, unless that rank lives, or nothing is heard of its host.
void Controller::rank_aborted(const RankAbort& abort) {
  const bool known = abort.lost >= 0 && abort.lost < request_.ranks();
  if (!known || ended_[static_cast<std::size_t>(abort.lost)]) return end_for(abort);
  loop_.after_ms(lost_rank_ms, [this, abort] { end_for(abort); });
}

void Controller::end_for(const RankAbort& abort) {
  if (verdict_) return;
  say("rank {} (pid {}) on {}: aborted the job with code {}{}{}", abort.rank, abort.pid, host_of(abort.rank), abort.code,
      abort.message.empty() ? "" : ": ", abort.message);
  fail((abort.code & 0xff) != 0 ? abort.code & 0xff : 1);
  end_job(SIGTERM, failure_grace_ms);
}

void Controller::fence_entered(int host, const FenceId& fence, std::string cards) {
  const std::optional<Fences::Complete> complete = fences_.enter(host, fence, std::move(cards));
  if (!complete) return;
  for (const int waiting : complete->hosts) hosts_[static_cast<std::size_t>(waiting)].agent->fence_done(fence, complete->cards);
}

void Controller::cards_wanted(const CardQuestion& question) { agent_of(question.rank).give_cards(question); }

void Controller::cards_given(const CardQuestion& question, bool found, std::string cards) {
  hosts_[static_cast<std::size_t>(question.from_host)].agent->take_cards(question, found, cards);
}

void Controller::input_taken(std::size_t bytes) {
  if (input_) input_->taken(bytes);
}

void Controller::input_closed() {
  if (input_) input_->stop();
}

void Controller::end_job(int signal, std::int64_t grace_ms) {
  if (ending_ || gone_) return;
  ending_ = true;
  if (!started_)
    for (std::size_t host = 0; host < hosts_.size(); ++host) give_up_ranks(static_cast<int>(host));
  tell_all([signal](AgentPort& agent) {
    agent.signal_ranks(signal);
    agent.signal_ranks(SIGCONT);                 // a stopped rank hears nothing
  });
  loop_.after_ms(grace_ms, [this] { tell_all([](AgentPort& agent) { agent.kill_all(); }); });
}

void Controller::read_signals() {
  const Heard heard = hear(signals_.get());
  if (heard.guard_lost) leave_at_once();
  for (const int signal : heard.handed_on) on_signal(signal);
  if (heard.children) tell_all([](AgentPort& agent) { agent.children_changed(); });
}

void Controller::on_signal(int signal) {
  switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
      if (ending_ || gone_) { fail(signal_base + signal); leave_at_once(); }
      fail(signal_base + signal);
      end_job(signal, to_ms(request_.grace_s));
      break;
    case SIGTSTP:
      tell_all([](AgentPort& agent) { agent.signal_ranks(SIGTSTP); });
      (void)::raise(SIGSTOP);
      break;
    default: tell_all([signal](AgentPort& agent) { agent.signal_ranks(signal); }); break;  // USR1, USR2, WINCH, CONT, ALRM: the job's own business
  }
}

void Controller::host_gone(int host) {
  hosts_[static_cast<std::size_t>(host)].phase = Phase::gone;
  gone_ = std::all_of(hosts_.begin(), hosts_.end(), [](const HostState& state) { return state.phase == Phase::gone; });
  stop_when_written();
}

void Controller::stop_when_written() {
  if (gone_ && (output_.idle() || output_.broken()) && (error_.idle() || error_.broken())) loop_.stop();
}

void Controller::leave_at_once() {
  for (HostState& host : hosts_) host.agent->kill_now_and_clear();
  (void)wait_for_children(agents_grace_ms);
  kill_descendants();
  ::_exit(verdict_.value_or(1));
}

}  // namespace weft::launcher
