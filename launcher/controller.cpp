// The course of a job.
#include "launcher/controller.hpp"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "launcher/guard.hpp"
#include "launcher/say.hpp"

namespace weft::launcher {
namespace {

constexpr int signal_base = 128;
constexpr int time_limit_code = 124;
constexpr std::int64_t failure_grace_ms = 500;   // survivors of a failed rank have nothing to save but their last lines

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

}  // namespace

Controller::Controller(JobRequest request, const sigset_t& handled, const sigset_t& user_mask)
    : request_(std::move(request)),
      signals_(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK)),
      output_(loop_, STDOUT_FILENO, request_.label, request_.ranks() == 1),
      error_(loop_, STDERR_FILENO, request_.label, request_.ranks() == 1),
      agent_(loop_, *this, user_mask) {
  loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) { read_signals(); });
  for (const Stream which : {Stream::output, Stream::error}) {
    stream(which).on_room = [this, which] {
      agent_.hold_output(which, false);
      stop_when_written();
    };
    stream(which).on_broken = [this](int error) { loop_.after_ms(0, [this, error] { on_broken_output(error); }); };
  }
}

// Nobody reads any more: as if it had hit the ranks themselves, that is SIGPIPE. Anything else is a loss and said.
void Controller::on_broken_output(int error) {
  if (error != EPIPE && !verdict_) say("output of the ranks can't be written: {}", std::strerror(error));
  fail(error == EPIPE ? signal_base + SIGPIPE : 1);
  end_job(SIGTERM, failure_grace_ms);
  stop_when_written();
}

int Controller::run() {
  if (request_.timeout_s > 0)
    loop_.after_ms(to_ms(request_.timeout_s), [this] {
      if (verdict_ || gone_) return;
      say("time limit of {} s reached: ending the job", request_.timeout_s);
      fail(time_limit_code);
      end_job(SIGTERM, to_ms(request_.grace_s));
    });
  const Expected<StartReport> started = agent_.start(request_);
  if (!started) {
    say("{}", started.failure().note);
    agent_.kill_now_and_clear();
    return 1;
  }
  host_ = started->host;
  if (request_.report) report(*started);
  loop_.run();
  return verdict_.value_or(0);
}

void Controller::report(const StartReport& started) const {
  for (const RankReport& rank : started.ranks)
    say("rank {} on {}: pid {}, CPUs {} ({})", rank.rank, started.host, rank.pid,
        os::format_cpus(rank.cpus.empty() ? os::allowed_cpus() : rank.cpus), started.binding);
}

void Controller::rank_spoke(int rank, Stream which, std::string_view text) {
  stream(which).write(rank, text);
  if (stream(which).full()) agent_.hold_output(which, true);
}

void Controller::rank_joined(int) {
  joined_ = true;
  check_absent();
}

// A plain program may end when it likes; but where one rank uses MPI, the start of all others waits for each of them.
void Controller::check_absent() {
  if (!joined_ || !absent_ || verdict_) return;
  say("rank {} (pid {}) on {}: exited with code 0 without MPI_Init, for which other ranks wait", absent_->rank, absent_->pid, host_);
  fail(1);
  end_job(SIGTERM, failure_grace_ms);
}

void Controller::rank_ended(const RankEnd& end) {
  ++ended_;
  if (!end.connected && !absent_ && WIFEXITED(end.wait_status) && WEXITSTATUS(end.wait_status) == 0) absent_ = end;
  check_absent();
  const int code = exit_code_of(end);
  if (code != 0 && !verdict_) {
    say("rank {} (pid {}) on {}: {}", end.rank, end.pid, host_, what_happened(end));
    fail(code);
    if (!end.finalized) end_job(SIGTERM, failure_grace_ms);   // after a clean goodbye nobody waits for it
  }
  if (ended_ == request_.ranks()) agent_.finish();
}

void Controller::rank_aborted(int rank, pid_t pid, int code, const std::string& message) {
  if (verdict_) return;
  say("rank {} (pid {}) on {}: aborted the job with code {}{}{}", rank, pid, host_, code, message.empty() ? "" : ": ", message);
  fail((code & 0xff) != 0 ? code & 0xff : 1);
  end_job(SIGTERM, failure_grace_ms);
}

void Controller::end_job(int signal, std::int64_t grace_ms) {
  if (ending_ || gone_) return;
  ending_ = true;
  agent_.signal_ranks(signal);
  agent_.signal_ranks(SIGCONT);                  // a stopped rank hears nothing
  loop_.after_ms(grace_ms, [this] { agent_.kill_all(); });
}

void Controller::read_signals() {
  signalfd_siginfo info;
  bool children = false;
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) children = true;
    else if (signal == guard_lost_signal()) leave_at_once();
    else if (Guard::is_from_guard(static_cast<pid_t>(info.ssi_pid))) on_signal(signal);
  }
  if (children) agent_.children_changed();
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
      agent_.signal_ranks(SIGTSTP);
      (void)::raise(SIGSTOP);
      break;
    default: agent_.signal_ranks(signal); break;  // USR1, USR2, WINCH, CONT, ALRM: the job's own business
  }
}

void Controller::all_gone() {
  gone_ = true;
  stop_when_written();
}

void Controller::stop_when_written() {
  if (gone_ && (output_.idle() || output_.broken()) && (error_.idle() || error_.broken())) loop_.stop();
}

void Controller::leave_at_once() {
  agent_.kill_now_and_clear();
  ::_exit(verdict_.value_or(1));
}

}  // namespace weft::launcher
