// The environment ranks are given: the user's, without traces of a job the launcher itself may run in (it may be started
// from inside a rank, or under another launcher), plus what was asked for.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weft::launcher {

class Environment {
 public:
  static Environment inherited();                 // scrubbed
  void set(const std::string& name, const std::string& value);
  const std::vector<std::string>& entries() const noexcept { return entries_; }

 private:
  std::vector<std::string> entries_;              // NAME=VALUE
};

// Takes the same traces out of the launcher's own environment, before the PMIx server starts.
void scrub_own_environment();

}  // namespace weft::launcher
