// Jobs by the shell; see launch.hpp.
#include "bench/launch.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace weft::bench {
namespace {

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> piece{};
  lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(file, piece.data(), piece.size())) > 0;) text.append(piece.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace

// Standard error goes to a file without a name, so that one pipe is enough and nothing is left behind.
Launched launch(const std::string& line) {
  const int errors = memfd_create("weft-bench-stderr", 0);
  if (errors < 0) throw std::runtime_error(fmt::format("memfd_create: {}", std::strerror(errno)));
  std::FILE* pipe = popen(fmt::format("{{ {}\n}} </dev/null 2>/proc/{}/fd/{}", line, getpid(), errors).c_str(), "re");
  if (pipe == nullptr) {
    close(errors);
    throw std::runtime_error(fmt::format("starting a shell: {}", std::strerror(errno)));
  }
  Launched job;
  std::array<char, 4096> piece{};
  for (std::size_t got = 0; (got = fread(piece.data(), 1, piece.size(), pipe)) > 0;) job.out.append(piece.data(), got);
  const int status = pclose(pipe);
  constexpr int signal_base = 128;
  job.code = WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
  job.err = read_all(errors);
  close(errors);
  return job;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string own_path() { return shell_quoted(std::filesystem::read_symlink("/proc/self/exe").string()); }

// Installed, the two stand in one folder; in a build folder each in its own.
std::string launcher_beside() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : {"weftrun", "../../launcher/weftrun"})
    if (std::error_code error; std::filesystem::is_regular_file(folder / place, error)) return shell_quoted((folder / place).lexically_normal().string());
  return "weftrun";
}

std::string reason_of(const Launched& job) {
  const std::size_t end = job.err.find('\n');
  return end == 0 || job.err.empty() ? fmt::format("exit code {}", job.code) : job.err.substr(0, end);
}

}  // namespace weft::bench
