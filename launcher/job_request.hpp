// What the user asked for: the command line and the environment, read and checked, before anything is started.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/hosts.hpp"
#include "launcher/placement.hpp"

namespace weft::launcher {

struct Program {
  std::vector<std::string> command;                              // as typed
  std::string path;                                              // what is executed
  int ranks = 1;
  std::string directory;                                         // "" means the launcher's own
  std::vector<std::pair<std::string, std::string>> environment;  // -x NAME=VALUE
  std::vector<Host> hosts;                                       // empty: this machine
};

struct JobRequest {
  std::vector<Program> programs;
  Policy policy;
  bool report = false;
  bool label = false;
  double timeout_s = 0;            // 0: none
  double grace_s = 3;              // between a forwarded end signal and SIGKILL
  int stdin_rank = 0;              // -1: none
  std::string agent_command = "ssh -o BatchMode=yes %h";   // reaches a host, %h being its name
  double host_timeout_s = 30;      // a host that says nothing for so long is lost; 0: never

  int ranks() const {
    int total = 0;
    for (const Program& program : programs) total += program.ranks;
    return total;
  }
};

}  // namespace weft::launcher
