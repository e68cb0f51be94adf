// Walking /proc for children.
#include "launcher/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>

#include "os/clock.hpp"
#include "os/fd.hpp"

namespace weft::launcher {
namespace {

std::string read_all(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char chunk[4096];
  ssize_t count = 0;
  while (file && (count = ::read(file.get(), chunk, sizeof chunk)) > 0) text.append(chunk, static_cast<std::size_t>(count));
  return text;
}

// The children of every thread of a process.
void add_children(pid_t parent, std::vector<pid_t>& found) {
  const std::string tasks = fmt::format("/proc/{}/task", parent);
  DIR* const directory = ::opendir(tasks.c_str());
  if (directory == nullptr) return;
  while (const dirent* const entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    const std::string text = read_all(fmt::format("{}/{}/children", tasks, entry->d_name));
    const char* at = text.data();
    const char* const end = at + text.size();
    pid_t pid = 0;
    while (at < end) {
      const auto [next, error] = std::from_chars(at, end, pid);
      if (error != std::errc{}) break;
      found.push_back(pid);
      at = next + 1;
    }
  }
  (void)::closedir(directory);
}

struct Stat {
  std::string name;                    // empty: the process is gone
  char state = 0;
  pid_t parent = 0;
};

Stat stat_of(pid_t pid) {
  const std::string text = read_all(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_begin = text.find('('), name_end = text.rfind(')');   // the name may hold anything
  Stat stat;
  if (name_end == std::string::npos || std::sscanf(text.c_str() + name_end, ") %c %d", &stat.state, &stat.parent) != 2) return {};
  stat.name = text.substr(name_begin, name_end + 1 - name_begin);
  return stat;
}

// Kernels without the children files: every process is asked for its parent, until no more are found.
std::vector<pid_t> descendants_by_parent() {
  std::map<pid_t, pid_t> parents;
  if (DIR* const directory = ::opendir("/proc"); directory != nullptr) {
    while (const dirent* const entry = ::readdir(directory))
      if (const pid_t pid = std::atoi(entry->d_name); pid > 0) parents[pid] = stat_of(pid).parent;
    (void)::closedir(directory);
  }
  std::vector<pid_t> found{::getpid()};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto& [pid, parent] : parents)
      if (parent == found[i]) found.push_back(pid);
  found.erase(found.begin());
  return found;
}

}  // namespace

void become_subreaper() noexcept { (void)::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::vector<pid_t> descendants() {
  static const bool has_children_files = ::access("/proc/thread-self/children", R_OK) == 0;
  if (!has_children_files) return descendants_by_parent();
  std::vector<pid_t> found;
  add_children(::getpid(), found);
  for (std::size_t i = 0; i < found.size(); ++i) add_children(found[i], found);
  return found;
}

std::string in_words(pid_t pid) {
  const Stat stat = stat_of(pid);
  return stat.name.empty() ? std::string() : fmt::format("process {} {}, state {}", pid, stat.name, stat.state);
}

void signal_descendants(int signal) noexcept {
  for (const pid_t pid : descendants()) (void)::kill(pid, signal);
}

bool wait_for_children(int limit_ms) noexcept {
  for (const os::Deadline deadline = os::Deadline::in_ms(limit_ms); !deadline.passed(); ::usleep(1000)) {
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {}
    if (ended < 0 && errno == ECHILD) return true;
  }
  return false;
}

void kill_descendants() noexcept {
  for (int round = 0; round < 1000; ++round) {
    signal_descendants(SIGKILL);
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {}
    if (ended < 0 && errno == ECHILD) return;
    ::usleep(1000);
  }
}

}  // namespace weft::launcher
