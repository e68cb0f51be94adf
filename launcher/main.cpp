// weftrun, also installed under the names mpirun and mpiexec.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <iostream>

#include "launcher/command_line.hpp"
#include "launcher/controller.hpp"
#include "launcher/guard.hpp"
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
  sigaddset(&set, weft::launcher::guard_lost_signal());
  struct sigaction hang_up {};
  if (::sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  return set;
}

int run(int count, char** arguments) {
  using namespace weft::launcher;
  CommandLine line = read_command_line(count, arguments);
  if (!line.request) return line.exit_code;
  const sigset_t handled = handled_signals();
  sigset_t user_mask;
  (void)::sigprocmask(SIG_BLOCK, &handled, &user_mask);
  (void)::signal(SIGPIPE, SIG_IGN);
  (void)::signal(SIGCHLD, SIG_DFL);      // an ignored SIGCHLD would lose exit codes
  Guard::split(handled);
  raise_file_limit();
  Controller controller(std::move(*line.request), handled, user_mask);
  return controller.run();
}

}  // namespace

int main(int count, char** arguments) {
  fill_standard_streams();
  int exit_code = 1;
  try {
    exit_code = run(count, arguments);
  } catch (const std::exception& problem) {
    weft::launcher::say("{}", problem.what());
  }
  std::cout.flush();
  ::_exit(exit_code);                    // PMIx's threads need no farewell; what they kept in files is removed
}
