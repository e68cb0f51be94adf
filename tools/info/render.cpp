// Facts as text; see render.hpp.
#include "info/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace weft::info {
namespace {

constexpr std::size_t line_width = 100;

std::string plain(const Facts& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.is_null() ? "-" : value.dump();
}

bool is_table(const Facts& value) { return value.is_array() && !value.empty() && value.front().is_object(); }

std::string words(const Facts& list) {
  std::string text, line;
  for (const Facts& value : list) {
    const std::string word = plain(value);
    if (!line.empty() && line.size() + 1 + word.size() > line_width) {
      text += line + "\n  ";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  return text + line;
}

std::string table(const Facts& rows) {
  std::vector<std::string> names;
  std::vector<std::size_t> widths;
  for (const auto& [name, value] : rows.front().items()) {
    std::size_t width = name.size();
    for (const Facts& row : rows) width = std::max(width, plain(row.value(name, Facts())).size());
    names.push_back(name);
    widths.push_back(width);
  }
  const auto line = [&](auto&& cell_of) {
    std::string text = " ";
    for (std::size_t i = 0; i < names.size(); ++i) text += fmt::format(" {:<{}}", cell_of(names[i]), widths[i]);
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = line([](const std::string& name) { return name; });
  for (const Facts& row : rows) text += line([&](const std::string& name) { return plain(row.value(name, Facts())); });
  return text;
}

}  // namespace

std::string as_text(const Facts& facts) {
  if (is_table(facts)) return table(facts);
  std::string text;
  for (const auto& [name, value] : facts.items()) {
    if (is_table(value)) text += fmt::format("  {}\n{}", name, table(value));
    else if (value.is_array()) text += fmt::format("  {}: {}\n", name, value.empty() ? "none" : words(value));
    else text += fmt::format("  {}: {}\n", name, plain(value));
  }
  return text;
}

}  // namespace weft::info
