// Starting, watching and clearing up the ranks of this host.
#include "launcher/agent.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include <fmt/format.h>

#include "launcher/descendants.hpp"
#include "launcher/environment.hpp"
#include "launcher/guard.hpp"
#include "launcher/library_folder.hpp"
#include "launcher/loopback.hpp"
#include "os/clock.hpp"

namespace weft::launcher {
namespace {

constexpr std::int64_t prompt_ms = 150;         // an unfinished line that rests so long is shown at a terminal
constexpr std::int64_t drain_ms = 1000;
constexpr std::int64_t kill_again_ms = 20;      // descendants may fork while they are being killed

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  (void)::gethostname(name, sizeof name - 1);   // never resolved
  return name[0] != '\0' ? name : "localhost";
}

std::string job_name() { return fmt::format("weft-{}-{}", ::getuid(), ::getpid()); }

Done open_pipe(os::Fd& read_end, os::Fd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_failure("pipe for a rank", errno);
  read_end = os::Fd(ends[0]);
  write_end = os::Fd(ends[1]);
  return Nothing{};
}

// A terminal for a rank whose launcher writes to one: its C library then passes lines on as they come, and they aren't lost
// in a buffer when it crashes. Raw, so that every byte arrives as written.
Done open_terminal(os::Fd& ours, os::Fd& theirs) {
  int master = -1, slave = -1;
  termios raw{};
  ::cfmakeraw(&raw);
  winsize size{};
  (void)::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  if (::openpty(&master, &slave, nullptr, &raw, &size) != 0) return system_failure("terminal for a rank", errno);
  for (const int fd : {master, slave}) (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ours = os::Fd(master);
  theirs = os::Fd(slave);
  return Nothing{};
}

std::vector<std::string> environment_of_ranks(const JobRequest& request) {
  Environment environment = Environment::inherited();
  environment.set("WEFT_LAUNCHER", "weftrun");
  environment.set("MPI_LOCALNRANKS", fmt::format("{}", request.ranks()));
  return environment.entries();
}

}  // namespace

Agent::Agent(EventLoop& loop, ControllerPort& controller, const sigset_t& user_mask)
    : loop_(loop), controller_(controller), user_mask_(user_mask), host_(host_name()) {}

Agent::~Agent() { directory_.remove(); }

Expected<Placement> Agent::place_ranks(const JobRequest& request) {
  Expected<os::Topology> topology = os::Topology::load();
  if (!topology) return topology.failure();
  topology_ = std::move(*topology);
  const std::vector<os::Core>& cores = topology_->cores();
  const std::vector<int> free_cores = claims_.claim_free(cores);
  Expected<Placement> placement = place(cores, free_cores, os::cpu_quota(), request.ranks(), request.policy);
  if (placement) claims_.keep_only(cores, placement->cpus);
  return placement;
}

Expected<StartReport> Agent::start(const JobRequest& request) {
  Expected<SessionDirectory> directory = SessionDirectory::create();
  if (!directory) return directory.failure();
  directory_ = std::move(*directory);
  Guard::remember_directory(directory_.path());
  Expected<Placement> placement = place_ranks(request);
  if (!placement) return placement.failure();
  placement_ = std::move(*placement);

  ServerFacts facts{job_name(), host_, directory_.path(), {}, static_cast<int>(request.programs.size())};
  for (std::size_t number = 0; number < request.programs.size(); ++number)
    for (int i = 0; i < request.programs[number].ranks; ++i) facts.ranks.push_back({static_cast<int>(number), i});
  scrub_own_environment();
  base_environment_ = environment_of_ranks(request);
  if (const Done reachable = require_loopback(); !reachable) return reachable.failure();
  if (const Done served = server_.start(facts, *topology_); !served) return served.failure();
  loop_.watch(server_.wake_fd(), EPOLLIN, [this](std::uint32_t) { read_upcalls(); });

  null_ = os::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  StartReport report{host_, placement_.why, {}};
  int rank = 0;
  for (const Program& program : request.programs)
    for (int i = 0; i < program.ranks; ++i, ++rank) {
      if (const Done started = start_rank(request, program, rank); !started) return started.failure();
      report.ranks.push_back({rank, ranks_.back()->pid, placement_.cpus[static_cast<std::size_t>(rank)]});
    }
  return report;
}

Done Agent::open_streams(const JobRequest& request, int rank, SpawnRequest& spawn, os::Fd (&ours)[3], os::Fd (&theirs)[3]) {
  spawn.streams[0] = null_.get();
  if (rank == request.stdin_rank) {
    spawn.streams[0] = STDIN_FILENO;
    if (::isatty(STDIN_FILENO) != 0) {
      if (Done done = open_pipe(theirs[0], ours[0]); !done) return done;
      spawn.streams[0] = theirs[0].get();
    }
  }
  for (int number = 1; number < 3; ++number) {
    const bool terminal = number == STDOUT_FILENO && ::isatty(STDOUT_FILENO) != 0;
    Done done = terminal ? open_terminal(ours[number], theirs[number]) : open_pipe(ours[number], theirs[number]);
    if (terminal && !done) done = open_pipe(ours[number], theirs[number]);     // terminals are few; pipes do as well
    if (!done) return done;
    (void)::fcntl(ours[number].get(), F_SETFL, O_NONBLOCK);
    spawn.streams[number] = theirs[number].get();
  }
  return Nothing{};
}

Done Agent::start_rank(const JobRequest& request, const Program& program, int rank) {
  SpawnRequest spawn_request;
  os::Fd ours[3], theirs[3];
  if (Done done = open_streams(request, rank, spawn_request, ours, theirs); !done) return done;
  spawn_request.path = program.path;
  spawn_request.command = program.command;
  spawn_request.directory = program.directory;
  spawn_request.mask = user_mask_;
  if (topology_->real()) spawn_request.cpus = placement_.cpus[static_cast<std::size_t>(rank)];
  spawn_request.environment = base_environment_;
  for (const auto& [name, value] : program.environment) {
    const std::string head = name + "=";
    std::erase_if(spawn_request.environment, [&head](const std::string& entry) { return entry.starts_with(head); });
    spawn_request.environment.push_back(head + value);
  }
  lead_to_library(spawn_request.environment);
  spawn_request.environment.push_back(fmt::format("MPI_LOCALRANKID={}", rank));
  if (Done done = server_.add_variables(rank, spawn_request.environment); !done) return done;
  const Expected<pid_t> pid = spawn(spawn_request);
  if (!pid) return Failure{pid.failure().status, fmt::format("rank {} on {}: {}", rank, host_, pid.failure().note)};

  ranks_.push_back(std::make_unique<Rank>());
  Rank& entry = *ranks_.back();
  entry.pid = *pid;
  const bool whole_lines = request.label || request.ranks() > 1;
  for (const Stream stream : {Stream::output, Stream::error}) {
    const auto index = static_cast<std::size_t>(stream);
    entry.pipes[index] = std::move(ours[index + 1]);
    entry.lines[index].emplace(whole_lines, [this, rank, stream](std::string_view text) { controller_.rank_spoke(rank, stream, text); });
    loop_.watch(entry.pipes[index].get(), held_[index] ? 0u : EPOLLIN, [this, &entry, stream](std::uint32_t) { read_pipe(entry, stream, false); });
  }
  if (ours[0]) terminal_ = std::make_unique<TerminalRelay>(loop_, std::move(ours[0]));
  return Nothing{};
}

void Agent::read_upcalls() {
  for (const Upcall& upcall : server_.take_upcalls()) {
    if (upcall.rank < 0 || upcall.rank >= static_cast<int>(ranks_.size())) continue;
    Rank& rank = *ranks_[static_cast<std::size_t>(upcall.rank)];
    switch (upcall.kind) {
      case Upcall::Kind::connected:
        rank.connected = true;
        rank.finalized = false;                  // a script may run one MPI program after the other
        controller_.rank_joined(upcall.rank);
        break;
      case Upcall::Kind::finalized: rank.finalized = true; break;
      case Upcall::Kind::aborted:
        read_pipe(rank, Stream::output, true);   // its last words come before ours
        read_pipe(rank, Stream::error, true);
        controller_.rank_aborted(upcall.rank, rank.pid, upcall.code, upcall.message);
        break;
    }
  }
}

void Agent::read_pipe(Rank& rank, Stream stream, bool to_the_end) {
  const auto index = static_cast<std::size_t>(stream);
  if (!rank.pipes[index]) return;
  LineReader::Result result = LineReader::Result::more;
  do result = rank.lines[index]->read_some(rank.pipes[index].get());
  while (to_the_end && result == LineReader::Result::more);
  if (result == LineReader::Result::end) return close_pipe(rank, stream);
  if (prompts_timed_ || !rank.lines[index]->holds() || ::isatty(STDOUT_FILENO) == 0) return;
  prompts_timed_ = true;
  loop_.after_ms(prompt_ms, [this] { show_prompts(); });
}

// At a terminal somebody may be waiting for the question that a rank wrote without an end of line.
void Agent::show_prompts() {
  prompts_timed_ = false;
  for (const auto& rank : ranks_)
    for (std::optional<LineReader>& lines : rank->lines) {
      if (!lines || !lines->holds()) continue;
      if (lines->rested()) lines->finish();
      else prompts_timed_ = true;
    }
  if (prompts_timed_) loop_.after_ms(prompt_ms, [this] { show_prompts(); });
}

void Agent::close_pipe(Rank& rank, Stream stream) {
  const auto index = static_cast<std::size_t>(stream);
  if (!rank.pipes[index]) return;
  rank.lines[index]->finish();
  loop_.forget(rank.pipes[index].get());
  rank.pipes[index].reset();
}

void Agent::hold_output(Stream stream, bool hold) {
  const auto index = static_cast<std::size_t>(stream);
  if (held_[index] == hold) return;
  held_[index] = hold;
  for (const auto& rank : ranks_)
    if (rank->pipes[index]) loop_.change(rank->pipes[index].get(), hold ? 0u : EPOLLIN);
}

void Agent::signal_ranks(int signal) {
  for (const auto& rank : ranks_) {
    if (rank->ended) continue;
    if (::kill(-rank->pid, signal) != 0) (void)::kill(rank->pid, signal);   // it may have left its group
  }
}

bool Agent::reap() {
  for (;;) {
    int wait_status = 0;
    const pid_t pid = ::waitpid(-1, &wait_status, WNOHANG);
    if (pid < 0) return errno != ECHILD;
    if (pid == 0) return true;
    read_upcalls();                   // it said goodbye, if it did, before it ended
    for (std::size_t number = 0; number < ranks_.size(); ++number)
      if (ranks_[number]->pid == pid && !ranks_[number]->ended) rank_exited(static_cast<int>(number), wait_status);
  }
}

void Agent::rank_exited(int number, int wait_status) {
  Rank& rank = *ranks_[static_cast<std::size_t>(number)];
  rank.ended = true;
  read_pipe(rank, Stream::output, true);
  read_pipe(rank, Stream::error, true);
  controller_.rank_ended({number, rank.pid, wait_status, rank.connected, rank.finalized});
}

void Agent::children_changed() {
  const bool some_left = reap();
  if (finishing_ && !some_left) clear_up();
}

void Agent::kill_all() {
  killing_ = true;
  signal_descendants(SIGKILL);
  loop_.after_ms(kill_again_ms, [this] {
    const bool some_left = reap();
    if (some_left) kill_all();
    else if (finishing_) clear_up();
  });
}

void Agent::finish() {
  finishing_ = true;
  terminal_.reset();
  if (!reap()) return clear_up();
  if (!killing_) kill_all();          // what the ranks left running
}

// Nobody writes any more. A pipe is at its end then; a terminal may still be bringing what was written, in its own time.
void Agent::drain(Rank& rank, Stream stream) {
  const os::Fd& pipe = rank.pipes[static_cast<std::size_t>(stream)];
  const os::Deadline deadline = os::Deadline::in_ms(drain_ms);
  while (pipe && !deadline.passed()) {
    read_pipe(rank, stream, true);
    pollfd ready{pipe.get(), POLLIN, 0};
    if (pipe) (void)::poll(&ready, 1, deadline.left_ms());
  }
  close_pipe(rank, stream);
}

void Agent::clear_up() {
  if (gone_) return;
  gone_ = true;
  for (const auto& rank : ranks_)
    for (const Stream stream : {Stream::output, Stream::error}) drain(*rank, stream);
  directory_.remove();
  controller_.all_gone();
}

void Agent::kill_now_and_clear() noexcept {
  kill_descendants();
  directory_.remove();
}

}  // namespace weft::launcher
