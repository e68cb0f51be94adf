// The experiments: subcommands that measure many points and write records. Each has options of its own, declared before
// the command line is parsed; parsing comes before MPI_Init, so that an experiment may say how MPI has to be started.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "bench/histogram.hpp"
#include "bench/job.hpp"
#include "bench/records.hpp"

namespace CLI {
class App;
}

namespace weft::bench {

struct Output {
  std::string format = "table";   // table, csv or json
  std::string out;                // a file; empty: standard output
};

// Rank 0's part; false, with a line on stderr, when the file cannot be written. The facts stand above the table and in JSON.
bool write_records(const Record& facts, const Records& records, const Output& output);

// "1,2,4" and ranges "1:8" (doubling), all at least 1. Throws std::invalid_argument with the piece it rejects.
std::vector<int> parse_counts(const std::string& text);
std::vector<std::string> split_words(const std::string& text);   // at commas, in lower case

// Exit codes of an experiment
constexpr int exit_done = 0, exit_failed = 1, exit_usage = 2, exit_unavailable = 3;   // 3: this machine has not what it takes

// Collective. True on every rank if the note is empty on every rank; else rank 0 prints one line with the first rank's note.
bool everyone_can(const Job& job, const std::string& command, const std::string& note);

// Collective: the requests of all ranks together, at rank 0 of the communicator.
Histogram sum_at_root(Histogram& mine, MPI_Comm comm);

double cpu_seconds_of_process();   // user and system time so far

// Collective: whether the ranks of my host outnumber the processors they may use.
bool ranks_share_cores();

}  // namespace weft::bench
