// The child shares our memory until it executes (as vfork does), so starting is cheap however large the launcher is, and
// what fails in the child is told in a plain variable. Nothing in it may allocate or lock.
#include "launcher/spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <fmt/format.h>

namespace weft::launcher {
namespace {

rlimit user_files{};      // the limit before we raised it
bool files_raised = false;

struct Child {
  const char* path;
  char** arguments;
  char** environment;
  const char* directory;
  const int* streams;
  const cpu_set_t* cpus;
  std::size_t cpu_bytes;
  const sigset_t* mask;
  pid_t launcher;
  int death_signal;
  const char* failed_step = nullptr;
  int error = 0;
};

// A background shell starts the launcher with these ignored; the ranks must hear them all the same.
void default_action(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  (void)::sigaction(signal, &action, nullptr);
}

int run_child(void* argument) {
  Child& child = *static_cast<Child*>(argument);
  const auto fail = [&child](const char* step) { child.failed_step = step; child.error = errno; ::_exit(127); };
  (void)::setpgid(0, 0);
  if (::prctl(PR_SET_PDEATHSIG, child.death_signal, 0, 0, 0) != 0) fail("prctl");
  if (::getppid() != child.launcher) ::_exit(127);
  for (int number = 0; number < 3; ++number)
    if (::dup2(child.streams[number], number) < 0) fail("dup2");
  if (child.cpus != nullptr) (void)::sched_setaffinity(0, child.cpu_bytes, child.cpus);   // a refused binding is no reason to fail
  if (child.directory != nullptr && ::chdir(child.directory) != 0) fail("chdir");
  default_action(SIGINT);
  default_action(SIGQUIT);
  default_action(SIGPIPE);
  if (files_raised) (void)::setrlimit(RLIMIT_NOFILE, &user_files);
  (void)::sigprocmask(SIG_SETMASK, child.mask, nullptr);
  ::execve(child.path, child.arguments, child.environment);
  if (errno == ENOEXEC) {                              // a script without #!, as shells run it
    child.arguments[-1] = const_cast<char*>("/bin/sh");
    child.arguments[0] = const_cast<char*>(child.path);
    ::execve("/bin/sh", child.arguments - 1, child.environment);
  }
  fail("exec");
  return 127;
}

// One free place in front, for the shell of a script without #!.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result{nullptr};
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

struct FreeCpuSet { void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); } };

}  // namespace

void raise_file_limit() noexcept {
  if (::getrlimit(RLIMIT_NOFILE, &user_files) != 0 || user_files.rlim_cur == user_files.rlim_max) return;
  const rlimit raised{user_files.rlim_max, user_files.rlim_max};
  files_raised = ::setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

Expected<pid_t> spawn(const SpawnRequest& request) {
  std::vector<char*> arguments = pointers(request.command);
  std::vector<char*> environment = pointers(request.environment);
  std::unique_ptr<cpu_set_t, FreeCpuSet> cpus;
  Child child{};
  if (!request.cpus.empty()) {
    const std::size_t count = static_cast<std::size_t>(request.cpus.back()) + 1;
    cpus.reset(CPU_ALLOC(count));
    child.cpu_bytes = CPU_ALLOC_SIZE(count);
    CPU_ZERO_S(child.cpu_bytes, cpus.get());
    for (const int cpu : request.cpus) CPU_SET_S(static_cast<std::size_t>(cpu), child.cpu_bytes, cpus.get());
  }
  child.path = request.path.c_str();
  child.arguments = arguments.data() + 1;
  child.environment = environment.data() + 1;
  child.directory = request.directory.empty() ? nullptr : request.directory.c_str();
  child.streams = request.streams;
  child.cpus = cpus.get();
  child.mask = &request.mask;
  child.launcher = ::getpid();
  child.death_signal = request.death_signal;
  constexpr std::size_t stack_bytes = 64 << 10;
  const auto stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
  char* const top = stack.get() + (stack_bytes - 64);
  const pid_t pid = ::clone(run_child, reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15}),
                            CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
  if (pid < 0) return system_failure("start of a process", errno);
  if (child.failed_step != nullptr) return system_failure(fmt::format("{} {}", child.failed_step, request.path), child.error);
  return pid;
}

}  // namespace weft::launcher
