// Looks at all that a library could take over behind the program's back, starts MPI and uses it, and looks again.
#include <dlfcn.h>
#include <locale.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>

extern char** environ;

namespace {

std::string look() {
  std::string seen;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0) continue;
    seen += fmt::format("action {} {} {:x}\n", signal, reinterpret_cast<void*>(action.sa_handler), static_cast<unsigned>(action.sa_flags));
  }
  sigset_t mask;
  (void)::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  for (int signal = 1; signal < NSIG; ++signal) seen += sigismember(&mask, signal) == 1 ? '1' : '0';
  cpu_set_t cpus;
  (void)::sched_getaffinity(0, sizeof cpus, &cpus);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) seen += CPU_ISSET(cpu, &cpus) ? '1' : '0';
  seen += fmt::format("\nlocale {} malloc {} directory {}\n", ::setlocale(LC_ALL, nullptr), ::dlsym(RTLD_DEFAULT, "malloc"), ::get_current_dir_name());
  seen += fmt::format("stdout {} {}\n", ::__fbufsize(stdout), ::__flbf(stdout));
  for (char** entry = environ; *entry != nullptr; ++entry) seen += fmt::format("{}\n", *entry);
  return seen;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string before = look();
  MPI_Init(nullptr, nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string after = look();
  if (count > 1 && std::strcmp(arguments[1], "hang-up") == 0) (void)::raise(SIGHUP);
  if (before != after) std::fprintf(stderr, "before:\n%s\nafter:\n%s\n", before.c_str(), after.c_str());
  else std::puts("unchanged");
  MPI_Finalize();
  return before == after ? 0 : 1;
}
