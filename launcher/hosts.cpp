// Reading names and slots.
#include "launcher/hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <climits>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace weft::launcher {
namespace {

constexpr int most_slots = 1'000'000;

bool parse_slots(std::string_view text, int& slots) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
  return error == std::errc{} && end == text.data() + text.size() && slots > 0 && slots <= most_slots;
}

// The name becomes a word of a shell's command line.
bool is_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("._-@:[]%").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

void add(std::vector<Host>& hosts, std::string_view name, int slots) {
  const auto known = std::find_if(hosts.begin(), hosts.end(), [name](const Host& host) { return host.name == name; });
  if (known != hosts.end()) known->slots += slots;
  else hosts.push_back({std::string(name), slots});
}

// "name", "name:slots"; an IPv6 address stands in brackets.
Done parse_host(std::string_view word, std::string& name, int& slots) {
  std::size_t mark = word.find_last_of(":*");
  if (mark != std::string_view::npos && word.find(']', mark) != std::string_view::npos) mark = std::string_view::npos;
  name = word.substr(0, mark);
  slots = 1;
  if (mark != std::string_view::npos && !parse_slots(word.substr(mark + 1), slots))
    return Failure{Status::bad_argument, fmt::format("'{}': expects NAME or NAME:SLOTS", word)};
  if (!is_name(name)) return Failure{Status::bad_argument, fmt::format("'{}' is no name of a host", word)};
  return Nothing{};
}

Done parse_line(const std::string& line, std::vector<Host>& hosts) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string word, name;
  int slots = 1;
  if (!(words >> word)) return Nothing{};
  if (Done done = parse_host(word, name, slots); !done) return done;
  while (words >> word) {
    const std::string key = word.substr(0, word.find('='));
    if (key == "slots" && !parse_slots(std::string_view(word).substr(std::min(word.size(), key.size() + 1)), slots))
      return Failure{Status::bad_argument, fmt::format("'{}': expects slots=NUMBER", word)};
    if (word.find('=') == std::string::npos) return Failure{Status::bad_argument, fmt::format("'{}': expects slots=NUMBER", word)};
  }
  add(hosts, name, slots);
  return Nothing{};
}

std::string_view short_name(std::string_view name) { return name.substr(0, name.find('.')); }

}  // namespace

Done parse_hosts(std::string_view text, std::vector<Host>& hosts) {
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    std::string name;
    int slots = 1;
    if (Done done = parse_host(text.substr(start, comma - start), name, slots); !done)
      return Failure{Status::bad_argument, fmt::format("--hosts {}: {}", text, done.failure().note)};
    add(hosts, name, slots);
    start = comma + 1;
  }
  return Nothing{};
}

Done read_host_file(const std::string& path, std::vector<Host>& hosts) {
  std::ifstream file(path);
  if (!file) return system_failure(fmt::format("--hostfile {}", path), errno);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (Done done = parse_line(line, hosts); !done)
      return Failure{Status::bad_argument, fmt::format("--hostfile {}, line {}: {}", path, number, done.failure().note)};
  if (hosts.empty()) return Failure{Status::bad_argument, fmt::format("--hostfile {}: names no host", path)};
  return Nothing{};
}

std::string own_host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  (void)::gethostname(name, sizeof name - 1);   // never resolved
  return name[0] != '\0' ? name : "localhost";
}

bool is_this_machine(std::string_view name) {
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  const std::string own = own_host_name();
  if (name == own) return true;
  const bool one_is_short = name.find('.') == std::string_view::npos || own.find('.') == std::string::npos;
  return one_is_short && short_name(name) == short_name(own);
}

}  // namespace weft::launcher
