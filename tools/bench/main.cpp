// weft-bench: measures an MPI through mpi.h alone, beside the raw limits of the machine in the same run.
// Started by a launcher: weftrun -n 2 weft-bench latency. Every rank reads the same command line; rank 0 alone speaks.
#include <fmt/core.h>
#include <mpi.h>

#include <CLI/CLI.hpp>

#include "bench/commands.hpp"

namespace {

using namespace weft::bench;

struct Command {
  const char* name;
  const char* help;
  int least_ranks;
  std::vector<Row> (*run)(const Job&, const Settings&);
};

constexpr Command commands[] = {
    {"latency", "one-way time of a message between two ranks", 2, run_latency},
    {"bandwidth", "bytes per second between two ranks, many messages in flight", 2, run_bandwidth},
    {"rate", "small messages per second between pairs of ranks", 2, run_rate},
    {"collectives", "time of barrier, bcast, reduce, allreduce, allgather, alltoall over all ranks", 2, run_collectives},
    {"limits", "what the machine can do without MPI: hand-off of a cache line, copy, wake-up, system call", 1, run_limits},
};

void add_options(CLI::App& app, Settings& settings, std::string& sizes) {
  app.add_option("--sizes", sizes, "message sizes in bytes: 8,1k,4M or a doubling range 1:64M");
  app.add_option("--window", settings.window, "messages in flight (bandwidth, rate)")->check(CLI::Range(1, 4096))->capture_default_str();
  app.add_option("--seconds", settings.seconds, "measuring time per figure")->check(CLI::Range(0.001, 3600.0))->capture_default_str();
  app.add_option("--format", settings.format, "how to print")->check(CLI::IsMember({"table", "csv", "json"}))->capture_default_str();
  app.add_option("--out", settings.out, "write to this file instead of standard output");
}

int run(const Command& command, const Job& job, const Settings& settings) {
  if (job.size < command.least_ranks) {
    if (job.rank == 0)
      fmt::print(stderr, "weft-bench {0} needs {1} ranks, this job has {2}; start it with: weftrun -n {1} weft-bench {0}\n",
                 command.name, command.least_ranks, job.size);
    return 2;
  }
  const Report report{command.name, command.run(job, settings)};
  return job.rank != 0 || write_report(report, job, settings) ? 0 : 1;
}

// The exit code for a command line that asks for nothing to run: help, or a mistake.
int explain(const CLI::App& app, const CLI::ParseError& error, int rank) {
  return rank == 0 ? app.exit(error) : error.get_exit_code();
}

int bench(int argc, char** argv) {
  CLI::App app("Measures message passing beside the raw limits of the machine.\nStart it with: weftrun -n 2 weft-bench latency");
  app.name("weft-bench");
  app.require_subcommand(1);
  Settings settings;
  std::string sizes;
  for (const Command& command : commands) add_options(*app.add_subcommand(command.name, command.help), settings, sizes);
  const Job job = join_job();
  try {
    app.parse(argc, argv);
    if (!sizes.empty()) settings.sizes = parse_sizes(sizes);
  } catch (const CLI::ParseError& error) {
    return explain(app, error, job.rank);
  } catch (const std::invalid_argument& error) {
    if (job.rank == 0) fmt::print(stderr, "weft-bench: --sizes: {}\n", error.what());
    return 2;
  }
  for (const Command& command : commands)
    if (app.got_subcommand(command.name)) return run(command, job, settings);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = bench(argc, argv);
  MPI_Finalize();
  return code;
}
