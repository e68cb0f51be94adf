// Starts one process: new process group, standard streams, binding, directory, and death with the launcher. Main thread
// only, since the kernel ties "die with the parent" to the thread that forked.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "os/expected.hpp"
#include "os/topology.hpp"

namespace weft::launcher {

// Two descriptors a rank can be more than the soft limit: raises ours to the hard one. Children get the old one back.
void raise_file_limit() noexcept;

struct SpawnRequest {
  std::string path;
  std::vector<std::string> command;
  std::vector<std::string> environment;   // NAME=VALUE, the whole of it
  std::string directory;                  // "" stays
  os::Cpus cpus;                          // empty: as inherited
  int streams[3] = {-1, -1, -1};          // become 0, 1, 2
  sigset_t mask{};                        // the user's signal mask
  int death_signal = SIGKILL;             // when we die
};

Expected<pid_t> spawn(const SpawnRequest& request);

}  // namespace weft::launcher
