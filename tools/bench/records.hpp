// Figures of the experiments: a list of flat objects, one a measured point, all columns by name. The same records become
// a table for people, CSV for spreadsheets, JSON for programs and the plots of the paper's page. Main thread only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::bench {

using Record = nlohmann::ordered_json;    // name -> number, text, or null: not known here
using Records = nlohmann::ordered_json;   // an array of them

std::string records_as_table(const Records& records);
std::string records_as_csv(const Records& records);

// Writes to a file, or to standard output when the path is empty. False, with a line on stderr, when that fails.
bool write_text(const std::string& text, const std::string& path);

}  // namespace weft::bench
