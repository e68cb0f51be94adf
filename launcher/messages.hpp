// How what controller and agents say to each other is written in frames: field by field. Both ends are the same binary, which
// the first frame makes sure of.
#pragma once

#include <nlohmann/json.hpp>

#include "launcher/ports.hpp"

namespace weft::launcher {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankPlace, host, program, rank_in_program)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JobMap, job, hosts, ranks, programs, slots)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Host, name, slots)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Program, command, path, ranks, directory, environment, hosts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Policy, map_by, bind_to, per_object, cores_per_rank)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Terminal, output, rows, columns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StartOrder, map, host, programs, policy, whole_lines, inherit_input, stdin_rank, terminal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankReport, rank, pid, cpus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StartReport, binding, ranks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankEnd, rank, pid, wait_status, connected, finalized)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FenceId, ranks, number)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CardQuestion, from_host, number, rank)

// What the agent must know of the place the job was started in.
struct Surroundings {
  std::string version;
  std::string secret;                      // of the job: the agent's first words
  std::vector<std::string> environment;    // NAME=VALUE
  std::string directory;
  unsigned file_mask = 0;
  double silence_limit_s = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Surroundings, version, secret, environment, directory, file_mask, silence_limit_s)

}  // namespace weft::launcher
