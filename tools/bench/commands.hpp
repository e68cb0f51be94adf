// The subcommands: one function, one file each; the table in main.cpp names them. Each is called on every rank of the
// job and returns its rows, which only rank 0's caller uses.
#pragma once

#include <vector>

#include "bench/job.hpp"
#include "bench/report.hpp"
#include "bench/settings.hpp"

namespace weft::bench {

std::vector<Row> run_latency(const Job& job, const Settings& settings);
std::vector<Row> run_bandwidth(const Job& job, const Settings& settings);
std::vector<Row> run_rate(const Job& job, const Settings& settings);
std::vector<Row> run_collectives(const Job& job, const Settings& settings);
std::vector<Row> run_limits(const Job& job, const Settings& settings);

}  // namespace weft::bench
