// The directory that holds the PMIx server's files while the job runs. Held by flock for as long as the launcher lives, so
// that the next start can tell a dead launcher's directory and remove it. Main thread.
#pragma once

#include <string>

#include "os/expected.hpp"
#include "os/fd.hpp"

namespace weft::launcher {

class SessionDirectory {
 public:
  // The first usable of TMPDIR, /tmp, /dev/shm, /var/tmp. The failure names each and why not.
  static Expected<SessionDirectory> create();
  const std::string& path() const noexcept { return path_; }
  void remove() noexcept;          // and all that is in it; async-signal-unsafe, but bounded

 private:
  std::string path_;
  os::Fd lock_;
};

}  // namespace weft::launcher
