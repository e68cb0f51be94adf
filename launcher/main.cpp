// weftrun, also installed under the names mpirun and mpiexec.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <iostream>

#include "launcher/command_line.hpp"
#include "launcher/controller.hpp"
#include "launcher/guard.hpp"
#include "launcher/remote_agent.hpp"
#include "launcher/remote_controller.hpp"
#include "launcher/say.hpp"
#include "launcher/spawn.hpp"

namespace {

// A closed standard stream would be taken by the first descriptor we open.
void fill_standard_streams() {
  while (true) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd < 0 || fd > STDERR_FILENO) { if (fd >= 0) (void)::close(fd); return; }
  }
}

// Blocked before PMIx starts its threads, so that they go to the loop alone. nohup is respected.
sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT, SIGALRM}) sigaddset(&set, signal);
  for (const int signal : {weft::launcher::guard_lost_signal(), weft::launcher::handed_on_signal()}) sigaddset(&set, signal);
  struct sigaction hang_up {};
  if (::sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  return set;
}

// Prepares signals and splits off the guard: what follows runs in the worker.
struct Worker {
  sigset_t handled = handled_signals();
  sigset_t user_mask;
  Worker() {
    (void)::sigprocmask(SIG_BLOCK, &handled, &user_mask);
    (void)::signal(SIGPIPE, SIG_IGN);
    (void)::signal(SIGCHLD, SIG_DFL);    // an ignored SIGCHLD would lose exit codes
    weft::launcher::Guard::split(handled);
    weft::launcher::raise_file_limit();
  }
};

int run(int count, char** arguments) {
  using namespace weft::launcher;
  CommandLine line = read_command_line(count, arguments);
  if (!line.request) return line.exit_code;
  weft::Expected<JobMap> map = map_job(*line.request);
  if (!map) {
    say("{}", map.failure().note);
    return 1;
  }
  const Worker worker;
  Controller controller(std::move(*line.request), std::move(*map), worker.handled, worker.user_mask);
  return controller.run();
}

// Nothing but frames may go to the controller, whatever a library thinks of standard output.
int run_agent() {
  const Worker worker;
  weft::os::Fd in(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  (void)::dup2(weft::os::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get(), STDIN_FILENO);
  (void)::dup2(STDERR_FILENO, STDOUT_FILENO);
  return weft::launcher::RemoteController(std::move(in), std::move(out), worker.handled, worker.user_mask).run();
}

}  // namespace

int main(int count, char** arguments) {
  fill_standard_streams();
  int exit_code = 1;
  try {
    const bool as_agent = count == 2 && std::strcmp(arguments[1], weft::launcher::agent_word) == 0;
    exit_code = as_agent ? run_agent() : run(count, arguments);
  } catch (const std::exception& problem) {
    weft::launcher::say("{}", problem.what());
  }
  std::cout.flush();
  ::_exit(exit_code);                    // PMIx's threads need no farewell; what they kept in files is removed
}
