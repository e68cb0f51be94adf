// What the user asked for on the command line, the same on every rank. Filled by main.cpp, read by the subcommands.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::bench {

struct Settings {
  std::vector<std::size_t> sizes;   // bytes; empty: the subcommand's own
  int window = 64;                  // messages in flight (bandwidth, rate)
  double seconds = 0.3;             // measuring time per figure
  std::string format = "table";     // table, csv or json
  std::string out;                  // a file; empty: standard output
};

// "8", "4k", "1M", lists "8,64,1k" and doubling ranges "1:64M". Throws std::invalid_argument with the piece it rejects.
std::vector<std::size_t> parse_sizes(const std::string& text);
std::string size_text(std::size_t bytes);   // 4096 is "4k"

}  // namespace weft::bench
