// Starting jobs from a tool that is no job itself: a line for the shell, run to its end. Main thread only.
#pragma once

#include <string>

namespace weft::bench {

struct Launched {
  int code = 0;       // exit code, 128 + signal
  std::string out;    // what the job wrote to standard output
  std::string err;    // and to standard error
};

// Throws std::runtime_error when the shell cannot be started.
Launched launch(const std::string& line);

std::string own_path();                         // of this program, quoted for the shell
std::string launcher_beside();                  // the weftrun that belongs to this program, quoted for the shell
std::string shell_quoted(const std::string& text);
// The line of a job's standard error that says why it failed, or its exit code.
std::string reason_of(const Launched& job);

}  // namespace weft::bench
