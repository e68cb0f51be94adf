// PATH search.
#include "launcher/program_search.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace weft::launcher {
namespace {

bool is_file(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

bool is_runnable(const std::string& path) { return is_file(path) && ::access(path.c_str(), X_OK) == 0; }

std::string in_path(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  const std::string_view path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const std::string folder(path.substr(start, end - start));
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_runnable(candidate)) return candidate;
    start = end + 1;
  }
  return {};
}

}  // namespace

std::optional<ProgramProblem> find_program(Program& program) {
  const std::string& name = program.command.front();
  const std::string& directory = program.directory;
  struct stat facts {};
  if (!directory.empty() && (::stat(directory.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)))
    return ProgramProblem{126, fmt::format("--wdir {}: no such directory", directory)};
  const std::string base = directory.empty() ? "" : directory + "/";
  if (name.find('/') != std::string::npos) {
    const std::string seen = name.front() == '/' ? name : base + name;   // what the name means after the change of directory
    if (!is_file(seen)) return ProgramProblem{127, fmt::format("program {}: no such file", seen)};
    if (!is_runnable(seen)) return ProgramProblem{126, fmt::format("program {}: not executable", seen)};
    program.path = name;
    return std::nullopt;
  }
  program.path = in_path(name);
  if (program.path.empty() && is_runnable(base + name)) program.path = "./" + name;
  if (program.path.empty()) return ProgramProblem{127, fmt::format("program {}: not found in PATH or the working directory", name)};
  return std::nullopt;
}

}  // namespace weft::launcher
