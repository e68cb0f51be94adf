// Holds an environment variable at a value for a scope, unless the user has set it himself. For libraries that can only be
// tuned that way. Set-up paths, one thread.
#pragma once

#include <cstdlib>
#include <optional>

#include "os/log.hpp"

namespace weft::os {

class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) noexcept : name_(name), mine_(std::getenv(name) == nullptr) {
    if (mine_) (void)::setenv(name, value, 1);
  }
  ~ScopedVariable() { if (mine_) (void)::unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  bool mine_;
};

// hwloc without its plug-ins (OpenCL, GL, PCI) and without the probing of each CPU: 10 to 40 ms of nothing for us. A made-up
// machine, which tests ask for, would not be seen with the second of the two set.
class PlainHwloc {
 public:
  PlainHwloc() {
    if (std::getenv("HWLOC_SYNTHETIC") == nullptr && std::getenv("HWLOC_XMLFILE") == nullptr) components_.emplace("HWLOC_COMPONENTS", "linux,stop");
  }

 private:
  ScopedVariable plugins_{"HWLOC_PLUGINS_PATH", "/nonexistent"};
  std::optional<ScopedVariable> components_;
};

// PMIx without what it says by itself on stderr (a rank killed while it connects, say, is told as an error of PMIx's): its
// lines go to a descriptor that can't exist, which no child inherits and no file is ever given. Held around PMIx's start, where
// it looks at the variable. What matters comes back as statuses and is told in words of ours.
class QuietPmix {
 public:
  QuietPmix() {
    if (!log_enabled(LogLevel::debug)) descriptor_.emplace("PMIX_OUTPUT_STDERR_FD", "2147483647");
  }

 private:
  std::optional<ScopedVariable> descriptor_;
};

}  // namespace weft::os
