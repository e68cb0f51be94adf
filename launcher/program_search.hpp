// Finds the file that a program name means, as a shell would, so that a missing one is said once and before any start.
#pragma once

#include "launcher/job_request.hpp"
#include <optional>

namespace weft::launcher {

struct ProgramProblem {
  int exit_code;      // 127 not found, 126 not executable
  std::string note;
};

// Sets program.path. A bare name is looked for in PATH, then in the working directory.
std::optional<ProgramProblem> find_program(Program& program);

}  // namespace weft::launcher
