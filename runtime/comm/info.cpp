// Info objects, and what is known of how the program was started.
#include "comm/info.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

#include <fmt/format.h>

namespace weft::comm {
namespace {

// The command line as the kernel keeps it: words that end in a null byte.
std::vector<std::string> command_line() {
  std::vector<std::string> words;
  std::FILE* file = std::fopen("/proc/self/cmdline", "re");
  if (file == nullptr) return words;
  std::string word;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    if (c != 0) {
      word.push_back(static_cast<char>(c));
      continue;
    }
    words.push_back(std::move(word));
    word.clear();
  }
  (void)std::fclose(file);
  return words;
}

}  // namespace

const std::string* Info::find(std::string_view key) const noexcept {
  for (const auto& [name, value] : entries_)
    if (name == key) return &value;
  return nullptr;
}

void Info::set(std::string_view key, std::string_view value) {
  for (auto& [name, old] : entries_) {
    if (name != key) continue;
    old = value;
    return;
  }
  entries_.emplace_back(key, value);
}

bool Info::remove(std::string_view key) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [=](const auto& entry) { return entry.first == key; });
  if (at == entries_.end()) return false;
  entries_.erase(at);
  return true;
}

Info* make_info() { return Pool<Info>::make(); }

Info* duplicate(const Info& info) {
  Info* copy = Pool<Info>::make(info);
  return copy;
}

void release(Info& info) { Pool<Info>::release(&info); }

Info& environment_info() {
  static Info environment;
  return environment;
}

void describe_program(Info& info) {
  const std::vector<std::string> words = command_line();
  if (!words.empty()) info.set("command", words.front());
  std::string arguments;
  for (std::size_t i = 1; i < words.size(); ++i) arguments.append(i == 1 ? "" : " ").append(words[i]);
  if (!arguments.empty()) info.set("argv", arguments);
  char text[PATH_MAX];
  if (::gethostname(text, sizeof text) == 0) info.set("host", text);
#if defined(__x86_64__)
  info.set("arch", "x86_64");
#elif defined(__aarch64__)
  info.set("arch", "aarch64");
#endif
  if (::getcwd(text, sizeof text) != nullptr) info.set("wdir", text);
}

void describe_environment(int size, const char* thread_level) {
  Info& environment = environment_info();
  describe_program(environment);
  environment.set("maxprocs", fmt::format("{}", size));
  environment.set("soft", fmt::format("{}", size));
  environment.set("thread_level", thread_level);
}

}  // namespace weft::comm
