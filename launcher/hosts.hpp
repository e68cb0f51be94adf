// The hosts of a job as users name them: lists on the command line and host files. Nothing is resolved: a name is what the
// agent command gets, what messages and the job's facts say, and what is compared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/expected.hpp"

namespace weft::launcher {

struct Host {
  std::string name;
  int slots = 1;        // ranks it takes before the next host's turn
};

// "a:2,b" (also "a*2"); a name said twice has the slots of both.
Done parse_hosts(std::string_view text, std::vector<Host>& hosts);
// One host a line: "a", "a:2", "a slots=2"; # starts a comment; max_slots and the like are passed over.
Done read_host_file(const std::string& path, std::vector<Host>& hosts);

// Localhost, or this machine's own name, with or without its domain.
bool is_this_machine(std::string_view name);
std::string own_host_name();

}  // namespace weft::launcher
