// What the user asked for: the command line and the environment, read and checked, before anything is started.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/placement.hpp"

namespace weft::launcher {

struct Program {
  std::vector<std::string> command;                              // as typed
  std::string path;                                              // what is executed
  int ranks = 1;
  std::string directory;                                         // "" means the launcher's own
  std::vector<std::pair<std::string, std::string>> environment;  // -x NAME=VALUE
};

struct JobRequest {
  std::vector<Program> programs;
  Policy policy;
  bool report = false;
  bool label = false;
  double timeout_s = 0;            // 0: none
  double grace_s = 3;              // between a forwarded end signal and SIGKILL
  int stdin_rank = 0;              // -1: none

  int ranks() const;
};

}  // namespace weft::launcher
