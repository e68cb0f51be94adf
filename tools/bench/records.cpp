// Records as text; see records.hpp.
#include "bench/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace weft::bench {
namespace {

std::vector<std::string> columns_of(const Records& records) {
  std::vector<std::string> names;
  for (const auto& record : records)
    for (const auto& [name, value] : record.items())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::string cell(const Record& record, const std::string& name, const char* nothing) {
  const auto found = record.find(name);
  if (found == record.end() || found->is_null()) return nothing;
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number_float()) {
    const auto value = found->get<double>();
    return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  }
  return found->dump();
}

std::string padded(const std::string& text, std::size_t width) { return std::string(width - text.size(), ' ') + text + "  "; }

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string doubled = "\"";
  for (const char letter : text) doubled.append(letter == '"' ? 2 : 1, letter);
  return doubled + "\"";
}

// There is at least one cell.
std::string joined(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& one : cells) line += one + ",";
  line.back() = '\n';
  return line;
}

}  // namespace

std::string records_as_table(const Records& records) {
  const std::vector<std::string> names = columns_of(records);
  std::vector<std::string> lines(records.size() + 1);
  for (const std::string& name : names) {
    std::size_t width = name.size();
    for (const auto& record : records) width = std::max(width, cell(record, name, "-").size());
    lines[0] += padded(name, width);
    for (std::size_t i = 0; i < records.size(); ++i) lines[i + 1] += padded(cell(records[i], name, "-"), width);
  }
  std::string text;
  for (std::string& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

std::string records_as_csv(const Records& records) {
  const std::vector<std::string> names = columns_of(records);
  if (names.empty()) return "";
  std::string text = joined(names);
  for (const auto& record : records) {
    std::vector<std::string> cells;
    for (const std::string& name : names) cells.push_back(quoted(cell(record, name, "")));
    text += joined(cells);
  }
  return text;
}

bool write_text(const std::string& text, const std::string& path) {
  std::FILE* file = path.empty() ? stdout : std::fopen(path.c_str(), "w");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) written = (file == stdout ? std::fflush(file) : std::fclose(file)) == 0 && written;
  if (!written) fmt::print(stderr, "weft-bench: write {}: {}\n", path.empty() ? "standard output" : path, std::strerror(errno));
  return written;
}

}  // namespace weft::bench
