// One line on stderr, or none. Errors are printed always, once, by the first floor that detects them; everything else
// only when WEFT_LOG asks (error, info, debug). Each line opens with "weft: rank R on HOST: ". Any thread; one write(2)
// per line, so lines of several ranks never mix. Not for running paths.
#pragma once

#include <fmt/core.h>

#include <string_view>

namespace weft::os {

enum class LogLevel { error, info, debug };

// Who we are, for the head of each line; until it is called lines say the process id.
void log_identity(int rank, std::string_view host) noexcept;
int log_rank() noexcept;                // -1 before log_identity
const char* log_host() noexcept;
bool log_enabled(LogLevel level) noexcept;
void log_line(LogLevel level, std::string_view text) noexcept;

template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log_line(LogLevel::error, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (log_enabled(LogLevel::info)) log_line(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (log_enabled(LogLevel::debug)) log_line(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace weft::os
