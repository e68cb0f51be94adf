// Lines on stderr: identity, level, one write a line.
#include "os/log.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace weft::os {
namespace {

int identity_rank = -1;
char identity_host[256] = "";

LogLevel wanted_level() noexcept {
  static const LogLevel level = [] {
    const char* text = std::getenv("WEFT_LOG");
    if (text != nullptr && std::strcmp(text, "debug") == 0) return LogLevel::debug;
    if (text != nullptr && std::strcmp(text, "info") == 0) return LogLevel::info;
    return LogLevel::error;
  }();
  return level;
}

}  // namespace

void log_identity(int rank, std::string_view host) noexcept {
  identity_rank = rank;
  const std::size_t length = host.size() < sizeof identity_host ? host.size() : sizeof identity_host - 1;
  std::memcpy(identity_host, host.data(), length);
  identity_host[length] = '\0';
}

int log_rank() noexcept { return identity_rank; }

const char* log_host() noexcept {
  if (identity_host[0] == '\0') (void)::gethostname(identity_host, sizeof identity_host - 1);
  return identity_host;
}

bool log_enabled(LogLevel level) noexcept { return level <= wanted_level(); }

void log_line(LogLevel level, std::string_view text) noexcept {
  if (!log_enabled(level)) return;
  std::string line = identity_rank >= 0 ? fmt::format("weft: rank {} on {}: {}\n", identity_rank, log_host(), text)
                                        : fmt::format("weft: process {} on {}: {}\n", ::getpid(), log_host(), text);
  const char* at = line.data();
  std::size_t left = line.size();
  while (left > 0) {
    const ssize_t count = ::write(STDERR_FILENO, at, left);
    if (count <= 0) return;
    at += count;
    left -= static_cast<std::size_t>(count);
  }
}

}  // namespace weft::os
