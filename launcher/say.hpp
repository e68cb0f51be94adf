// One line of weftrun's own on stderr, in one write, so that it never mixes with the ranks' lines.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace weft::launcher {

template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  const std::string line = "weftrun: " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace weft::launcher
