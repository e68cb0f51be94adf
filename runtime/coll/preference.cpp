// Parsing WEFT_ALGORITHMS; see preference.hpp.
#include "coll/preference.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "os/log.hpp"
#include "os/options.hpp"


namespace weft::coll {

namespace {

struct Preferences {
  const Algorithm* of[collectives] = {};
};

const Algorithm* find(std::string_view collective, std::string_view name) {
  for (const Algorithm& algorithm : algorithms())
    if (collective == name_of(algorithm.collective) && name == algorithm.name) return &algorithm;
  return nullptr;
}

// The names there are, for who gave another one.
std::string known_names() {
  std::string names;
  for (const Algorithm& algorithm : algorithms())
    names += fmt::format("{}{}:{}", names.empty() ? "" : " ", name_of(algorithm.collective), algorithm.name);
  return names;
}

Preferences read() {
  Preferences preferences;
  std::string_view rest = os::option_text("algorithms");
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view rule = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    const std::size_t colon = rule.find(':');
    const Algorithm* found = colon == std::string_view::npos ? nullptr : find(rule.substr(0, colon), rule.substr(colon + 1));
    if (found != nullptr) preferences.of[static_cast<int>(found->collective)] = found;
    else os::log_error("WEFT_ALGORITHMS: '{}' is ignored; there are {}", rule, known_names());
  }
  return preferences;
}

}  // namespace

const Algorithm& choose_or_prefer(const Facts& facts) {
  static const Preferences preferences = read();
  const Algorithm* preferred = preferences.of[static_cast<int>(facts.collective)];
  return preferred != nullptr && preferred->able(facts) ? *preferred : choose(facts);
}

}  // namespace weft::coll
