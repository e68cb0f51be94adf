// Starting, watching and clearing up the ranks of this host.
#include "launcher/agent.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "launcher/descendants.hpp"
#include "launcher/environment.hpp"
#include "launcher/guard.hpp"
#include "launcher/library_folder.hpp"
#include "launcher/loopback.hpp"
#include "launcher/say.hpp"

namespace weft::launcher {
namespace {

constexpr std::int64_t kill_again_ms = 20;      // descendants may fork while they are being killed
constexpr std::int64_t undying_ms = 5000;

std::vector<std::string> environment_of_ranks(std::size_t local_ranks) {
  Environment environment = Environment::inherited();
  environment.set("WEFT_LAUNCHER", "weftrun");
  environment.set("MPI_LOCALNRANKS", fmt::format("{}", local_ranks));
  return environment.entries();
}

// As a shell would say it: not found, not executable.
int exit_code_of(Status status) {
  if (status == Status::not_found) return 127;
  return status == Status::denied ? 126 : 1;
}

}  // namespace

Agent::Agent(EventLoop& loop, ControllerPort& controller, const sigset_t& user_mask)
    : loop_(loop), controller_(controller), user_mask_(user_mask) {}

Agent::~Agent() { directory_.remove(); }

Agent::Rank* Agent::find(int number) noexcept {
  const auto found = std::find_if(ranks_.begin(), ranks_.end(), [number](const auto& rank) { return rank->number == number; });
  return found != ranks_.end() ? found->get() : nullptr;
}

void Agent::fail(const Failure& failure) { controller_.host_failed(order_.host, exit_code_of(failure.status), failure.note); }

void Agent::prepare(StartOrder order) {
  order_ = std::move(order);
  host_ = order_.map.hosts[static_cast<std::size_t>(order_.host)];
  if (const Done done = set_up(); !done) {
    const bool several = order_.map.hosts.size() > 1;
    return fail({done.failure().status, several ? fmt::format("host {}: {}", host_, done.failure().note) : done.failure().note});
  }
  controller_.host_ready(order_.host);
}

Done Agent::set_up() {
  Expected<SessionDirectory> directory = SessionDirectory::create();
  if (!directory) return directory.failure();
  directory_ = std::move(*directory);
  Guard::remember_directory(directory_.path());
  if (Done placed = place_ranks(); !placed) return placed;
  scrub_own_environment();
  base_environment_ = environment_of_ranks(placement_.cpus.size());
  if (Done reachable = require_loopback(); !reachable) return reachable;
  if (Done served = server_.start({order_.map, order_.host, directory_.path()}, *topology_); !served) return served;
  loop_.watch(server_.upcalls().wake_fd(), EPOLLIN, [this](std::uint32_t) { read_upcalls(); });
  null_ = os::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return Nothing{};
}

Done Agent::place_ranks() {
  Expected<os::Topology> topology = os::Topology::load();
  if (!topology) return topology.failure();
  topology_ = std::move(*topology);
  const std::vector<os::Core>& cores = topology_->cores();
  const std::vector<int> free_cores = claims_.claim_free(cores);
  const int ranks = static_cast<int>(order_.map.ranks_of(order_.host).size());
  Expected<Placement> placement = place(cores, free_cores, os::cpu_quota(), ranks, order_.policy);
  if (!placement) return placement.failure();
  placement_ = std::move(*placement);
  claims_.keep_only(cores, placement_.cpus);
  return Nothing{};
}

void Agent::start() {
  const Expected<StartReport> report = start_ranks();
  if (report) controller_.host_started(order_.host, *report);
  else fail(report.failure());
}

Expected<StartReport> Agent::start_ranks() {
  StartReport report{placement_.why, {}};
  for (const int number : order_.map.ranks_of(order_.host)) {
    const std::size_t local = ranks_.size();
    if (const Done started = start_rank(number, local); !started)
      return Failure{started.failure().status, fmt::format("rank {} on {}: {}", number, host_, started.failure().note)};
    const os::Cpus& bound = placement_.cpus[local];
    report.ranks.push_back({number, ranks_.back()->pid, bound.empty() ? os::allowed_cpus() : bound});
  }
  return report;
}

Done Agent::open_input(SpawnRequest& spawn, os::Fd& theirs) {
  if (order_.inherit_input) {
    spawn.streams[0] = STDIN_FILENO;
    return Nothing{};
  }
  os::Fd ours;
  if (Done done = open_pipe(theirs, ours); !done) return done;
  spawn.streams[0] = theirs.get();
  input_ = std::make_unique<RankInput>(loop_, std::move(ours), RankInput::Reports{[this](std::size_t bytes) { controller_.input_taken(bytes); },
                                                                                  [this] { controller_.input_closed(); }});
  return Nothing{};
}

std::vector<std::string> Agent::environment_of(const Program& program, std::size_t local) const {
  std::vector<std::string> environment = base_environment_;
  for (const auto& [name, value] : program.environment) {
    const std::string head = name + "=";
    std::erase_if(environment, [&head](const std::string& entry) { return entry.starts_with(head); });
    environment.push_back(head + value);
  }
  lead_to_library(environment);
  environment.push_back(fmt::format("MPI_LOCALRANKID={}", local));
  return environment;
}

Done Agent::start_rank(int number, std::size_t local) {
  const Program& program = order_.programs[static_cast<std::size_t>(order_.map.ranks[static_cast<std::size_t>(number)].program)];
  auto rank = std::make_unique<Rank>();
  rank->number = number;
  rank->streams = std::make_unique<RankStreams>(loop_, order_.terminal, order_.whole_lines, [this, number](Stream stream, std::string_view text) {
    controller_.rank_spoke(number, stream, text);
  });
  SpawnRequest request;
  os::Fd input, output[2];
  request.streams[0] = null_.get();
  if (number == order_.stdin_rank)
    if (Done done = open_input(request, input); !done) return done;
  if (Done done = rank->streams->open(output); !done) return done;
  request.streams[1] = output[0].get();
  request.streams[2] = output[1].get();
  request.path = program.path;
  request.command = program.command;
  request.directory = program.directory;
  request.mask = user_mask_;
  if (topology_->real()) request.cpus = placement_.cpus[local];
  request.environment = environment_of(program, local);
  if (Done done = server_.add_variables(number, request.environment); !done) return done;
  const Expected<pid_t> pid = spawn(request);
  if (!pid) return pid.failure();
  rank->pid = *pid;
  for (const Stream stream : {Stream::output, Stream::error})
    if (!held_[static_cast<std::size_t>(stream)]) rank->streams->listen(stream, true);
  ranks_.push_back(std::move(rank));
  return Nothing{};
}

void Agent::hold_output(Stream stream, bool hold) {
  bool& held = held_[static_cast<std::size_t>(stream)];
  if (held == hold) return;
  held = hold;
  for (const auto& rank : ranks_) rank->streams->listen(stream, !hold);
}

void Agent::take_input(std::string_view bytes) {
  if (input_) input_->write(bytes);
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
    for (const auto& rank : ranks_)
      if (rank->pid == pid && !rank->ended) rank_exited(*rank, wait_status);
  }
}

void Agent::rank_exited(Rank& rank, int wait_status) {
  rank.ended = true;
  rank.streams->read_out();
  controller_.rank_ended({rank.number, rank.pid, wait_status, rank.connected, rank.finalized});
}

void Agent::children_changed() {
  const bool some_left = reap();
  if (finishing_ && !some_left) clear_up();
}

void Agent::kill_all() {
  if (!killing_) undying_ = os::Deadline::in_ms(undying_ms);
  killing_ = true;
  signal_descendants(SIGKILL);
  loop_.after_ms(kill_again_ms, [this] {
    const bool some_left = reap();
    if (some_left && undying_.passed()) leave_the_undying();
    else if (some_left) kill_all();
    else if (finishing_) clear_up();
  });
}

// Killed, and still there: a driver in the kernel waits for a device that does not answer, and until then no process ends. Who
// waits for the job need not; the kernel ends them in its own time.
void Agent::leave_the_undying() {
  for (const pid_t pid : descendants())
    if (const std::string words = in_words(pid); !words.empty()) say("{}: killed, and the kernel does not let it end", words);
  left_some_ = true;
  for (const auto& rank : ranks_)
    if (!rank->ended) rank_exited(*rank, SIGKILL);     // as waitpid() will say of it
  if (finishing_) clear_up();
}

void Agent::finish() {
  finishing_ = true;
  input_.reset();
  if (!reap() || left_some_) return clear_up();
  if (!killing_) kill_all();          // what the ranks left running
}

void Agent::clear_up() {
  if (gone_) return;
  gone_ = true;
  for (const auto& rank : ranks_) rank->streams->drain();
  directory_.remove();
  controller_.host_gone(order_.host);
}

void Agent::kill_now_and_clear() noexcept {
  kill_descendants();
  directory_.remove();
}

}  // namespace weft::launcher
