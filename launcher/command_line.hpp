// Reads the command line of weftrun (also under its names mpirun and mpiexec).
#pragma once

#include <optional>

#include "launcher/job_request.hpp"

namespace weft::launcher {

struct CommandLine {
  std::optional<JobRequest> request;   // empty: only print and exit
  int exit_code = 0;
};

// Prints help, version or the complaint itself. A program that can't be found is a complaint too (exit code 127).
CommandLine read_command_line(int count, char** arguments);

}  // namespace weft::launcher
