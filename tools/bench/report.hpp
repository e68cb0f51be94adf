// The result of a run: rows of figures, written by rank 0 as a table for people, CSV for spreadsheets or JSON for
// programs. Every row carries its limit and the ratio to it. Main thread only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/job.hpp"
#include "bench/settings.hpp"
#include "bench/statistics.hpp"

namespace weft::bench {

struct Row {
  std::string operation;       // "latency", "allreduce"
  std::size_t bytes = 0;
  std::string unit;            // of the figures: "ns", "GB/s", "M/s"
  Summary value;
  std::size_t windows = 0;     // how many windows the figures stand on
  double limit = 0;            // in the same unit; 0: not known
  std::string limit_name;      // "hand-off", "copy"
  double ratio = 0;            // median of value over limit; 0: not known
};

struct Report {
  std::string command;
  std::vector<Row> rows;
};

// False, with a line on stderr, when the file cannot be written.
bool write_report(const Report& report, const Job& job, const Settings& settings);

}  // namespace weft::bench
