// Choosing, locking, reaping and removing the session directory.
#include "launcher/session_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace weft::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_base = 160;              // PMIx builds paths of its own below it
constexpr std::uint64_t least_free_bytes = 4u << 20;   // its store of job facts grows with the ranks
constexpr time_t settling_s = 10;                      // between mkdir and flock of a launcher that is starting now

std::string prefix() { return fmt::format("weft-{}-", ::getuid()); }

// Removes directories of launchers that were killed. Any trouble is left to the next start.
void reap_stale(const std::string& base) {
  std::error_code ignored;
  for (fs::directory_iterator entry(base, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (!entry->path().filename().string().starts_with(prefix())) continue;
    const os::Fd directory(::open(entry->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts {};
    if (!directory || ::fstat(directory.get(), &facts) != 0 || facts.st_uid != ::getuid()) continue;
    if (std::time(nullptr) - facts.st_ctime < settling_s || ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code failed;
    fs::remove_all(entry->path(), failed);
  }
}

// Empty when usable, else why not.
std::string objection(const std::string& base) {
  struct statvfs room {};
  if (base.empty() || base.front() != '/') return "not an absolute path";
  if (base.size() > longest_base) return fmt::format("longer than {} characters", longest_base);
  if (::statvfs(base.c_str(), &room) != 0) return std::strerror(errno);
  const std::uint64_t free_bytes = std::uint64_t{room.f_bavail} * room.f_frsize;
  if (free_bytes < least_free_bytes) return fmt::format("{} KB free, {} KB needed", free_bytes >> 10, least_free_bytes >> 10);
  if (room.f_favail == 0 && room.f_files != 0) return "no inode free";
  return {};
}

}  // namespace

Expected<SessionDirectory> SessionDirectory::create() {
  std::vector<std::string> bases;
  if (const char* wish = std::getenv("TMPDIR"); wish != nullptr && *wish != '\0') bases.emplace_back(wish);
  for (const char* usual : {"/tmp", "/dev/shm", "/var/tmp"}) bases.emplace_back(usual);
  std::string reasons;
  for (const std::string& base : bases) {
    std::string reason = objection(base);
    if (reason.empty()) {
      reap_stale(base);
      std::string path = fmt::format("{}/{}{}-XXXXXX", base, prefix(), ::getpid());
      SessionDirectory session;
      if (::mkdtemp(path.data()) != nullptr) {
        session.path_ = path;
        session.lock_ = os::Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (session.lock_) (void)::flock(session.lock_.get(), LOCK_EX | LOCK_NB);
        return session;
      }
      reason = std::strerror(errno);
    }
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", base, reason);
  }
  return Failure{Status::no_space, fmt::format("no directory for temporary files ({}); set TMPDIR to one", reasons)};
}

void SessionDirectory::remove() noexcept {
  if (path_.empty()) return;
  std::error_code failed;
  for (int attempt = 0; attempt < 5; ++attempt) {       // PMIx's thread may still be adding a file
    fs::remove_all(path_, failed);
    if (!failed) break;
  }
  path_.clear();
}

}  // namespace weft::launcher
