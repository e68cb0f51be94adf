// Guarding and handing on.
#include "launcher/guard.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
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

constexpr std::size_t longest_path = 4096;
char* directory_page = nullptr;          // shared by guard and worker
pid_t guard_pid = 0;

// Waits for the worker, handing on what comes meanwhile. Returns its wait status.
int watch(pid_t worker, const sigset_t& handled) {
  for (;;) {
    int wait_status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &wait_status, WNOHANG)) > 0)
      if (ended == worker) return wait_status;
    const int signal = ::sigwaitinfo(&handled, nullptr);
    if (signal <= 0 || signal == SIGCHLD) continue;
    (void)::kill(worker, signal);
    if (signal == SIGTSTP) (void)::raise(SIGSTOP);    // the worker stops the ranks and itself
  }
}

void clear_up_after_worker() {
  kill_descendants();
  if (directory_page[0] == '\0') return;
  std::error_code ignored;
  std::filesystem::remove_all(directory_page, ignored);
}

}  // namespace

int guard_lost_signal() noexcept { return SIGRTMIN; }

void Guard::split(const sigset_t& handled) {
  void* const page = ::mmap(nullptr, longest_path, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  directory_page = static_cast<char*>(page);
  guard_pid = ::getpid();
  become_subreaper();
  const pid_t worker = ::fork();
  if (worker < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (worker == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, guard_lost_signal(), 0, 0, 0);
    if (::getppid() != guard_pid) ::_exit(1);
    become_subreaper();                    // not inherited
    return;
  }
  const int wait_status = watch(worker, handled);
  if (WIFEXITED(wait_status)) ::_exit(WEXITSTATUS(wait_status));
  clear_up_after_worker();
  say("the launcher's worker (pid {}) was killed by signal {}: the job is ended", worker, WTERMSIG(wait_status));
  ::_exit(128 + WTERMSIG(wait_status));
}

bool Guard::is_from_guard(pid_t sender) noexcept { return sender == guard_pid; }

void Guard::remember_directory(const std::string& path) noexcept {
  if (path.size() < longest_path) std::memcpy(directory_page, path.c_str(), path.size() + 1);
}

}  // namespace weft::launcher
