// Who started this process, told from the environment alone: is a PMIx server announced, and do the variables of some
// launcher announce several processes although no server is there? (Then each of them would be rank 0 of 1.)
#pragma once

#include <optional>
#include <string>

namespace weft::boot {

bool pmix_announced() noexcept;

struct ForeignLauncher {
  std::string variable;   // e.g. "PMI_SIZE"
  long processes;
  bool sure;              // a Slurm step: these processes were surely meant to be one job
  const char* remedy;
};
std::optional<ForeignLauncher> foreign_launcher();

}  // namespace weft::boot
