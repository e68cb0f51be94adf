// Found from where the launcher itself stands, so that an installed tree can be moved; in the build folder likewise.
#include "launcher/library_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace weft::launcher {
namespace {

std::string find_folder() {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {WEFT_LIBRARY_FOLDER, "../tools/wrapper"}) {
    const std::filesystem::path folder = (own / place).lexically_normal();
    if (std::filesystem::exists(folder / "libmpi_abi.so.0", error)) return folder.string();
  }
  return {};
}

}  // namespace

void lead_to_library(std::vector<std::string>& environment) {
  constexpr std::string_view head = "LD_LIBRARY_PATH=";
  static const std::string folder = find_folder();
  if (folder.empty()) return;
  const auto entry = std::find_if(environment.begin(), environment.end(), [&](const std::string& text) { return text.starts_with(head); });
  if (entry == environment.end()) environment.push_back(std::string(head) + folder);
  else if (entry->size() == head.size()) entry->append(folder);
  else entry->insert(head.size(), folder + ":");
}

}  // namespace weft::launcher
