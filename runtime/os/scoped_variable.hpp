// Holds an environment variable at a value for a scope, unless the user has set it himself. For libraries that can only be
// tuned that way. Set-up paths, one thread.
#pragma once

#include <cstdlib>

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

// hwloc without its plug-ins (OpenCL, GL, PCI) and without the probing of each CPU: 10 to 40 ms of nothing for us.
struct PlainHwloc {
  ScopedVariable components{"HWLOC_COMPONENTS", "linux,stop"};
  ScopedVariable plugins{"HWLOC_PLUGINS_PATH", "/nonexistent"};
};

}  // namespace weft::os
