// Fences across hosts: gathers what each host's ranks bring, until all that take part are there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/ports.hpp"

namespace weft::launcher {

class Fences {
 public:
  explicit Fences(const JobMap& map) : map_(map) {}

  struct Complete {
    std::vector<int> hosts;      // who waits for it
    std::string cards;           // of all, one host's after the other
  };
  std::optional<Complete> enter(int host, const FenceId& fence, std::string cards);

 private:
  std::vector<int> hosts_of(const FenceId& fence) const;
  const JobMap& map_;
  std::map<FenceId, std::map<int, std::string>> open_;     // by host
};

}  // namespace weft::launcher
