// Guarding and handing on.
#include "launcher/guard.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "launcher/descendants.hpp"
#include "launcher/say.hpp"

namespace weft::launcher {
namespace {

constexpr int agents_grace_ms = 3000;

struct Shared {
  bool agents;
  char directory[4096];
};
Shared* shared = nullptr;                // by guard and worker

// Waits for the worker, handing on what comes meanwhile. Returns its wait status.
int watch(pid_t worker, const sigset_t& handled) {
  for (;;) {
    int wait_status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &wait_status, WNOHANG)) > 0)
      if (ended == worker) return wait_status;
    const int signal = ::sigwaitinfo(&handled, nullptr);
    if (signal <= 0 || signal == SIGCHLD) continue;
    (void)::sigqueue(worker, handed_on_signal(), {.sival_int = signal});
    if (signal == SIGCONT) (void)::kill(worker, SIGCONT);
    if (signal == SIGTSTP) (void)::raise(SIGSTOP);    // the worker stops the ranks and itself
  }
}

void clear_up_after_worker() {
  if (shared->agents) (void)wait_for_children(agents_grace_ms);
  kill_descendants();
  if (shared->directory[0] == '\0') return;
  std::error_code ignored;
  std::filesystem::remove_all(shared->directory, ignored);
}

}  // namespace

int guard_lost_signal() noexcept { return SIGRTMIN; }
int handed_on_signal() noexcept { return SIGRTMIN + 1; }

Heard hear(int signal_fd) {
  Heard heard;
  signalfd_siginfo info;
  while (::read(signal_fd, &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) heard.children = true;
    else if (signal == guard_lost_signal()) heard.guard_lost = true;
    else if (signal == handed_on_signal()) heard.handed_on.push_back(info.ssi_int);
  }
  return heard;
}

void Guard::split(const sigset_t& handled) {
  void* const page = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  shared = static_cast<Shared*>(page);
  const pid_t guard = ::getpid();
  become_subreaper();
  const pid_t worker = ::fork();
  if (worker < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (worker == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, guard_lost_signal(), 0, 0, 0);
    if (::getppid() != guard) ::_exit(1);
    become_subreaper();                    // not inherited
    return;
  }
  const int wait_status = watch(worker, handled);
  if (WIFEXITED(wait_status)) ::_exit(WEXITSTATUS(wait_status));
  clear_up_after_worker();
  say("the launcher's worker (pid {}) was killed by signal {}: the job is ended", worker, WTERMSIG(wait_status));
  ::_exit(128 + WTERMSIG(wait_status));
}

void Guard::expect_agents() noexcept { shared->agents = true; }

void Guard::remember_directory(const std::string& path) noexcept {
  if (path.size() < sizeof shared->directory) std::memcpy(shared->directory, path.c_str(), path.size() + 1);
}

}  // namespace weft::launcher
