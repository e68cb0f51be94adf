// weft-bench: measures an MPI through mpi.h alone, beside the raw limits of the machine in the same run.
// Started by a launcher: weftrun -n 2 weft-bench latency. Every rank reads the same command line; rank 0 alone speaks.
#include <fmt/core.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "bench/commands.hpp"
#include "bench/paper/paper.hpp"
#include "bench/paradigms.hpp"
#include "bench/primitives_command.hpp"

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

constexpr const char* primitives_help = "what the RDMA device can do on raw verbs: SEND, WRITE, READ, FAA, CAS from all other ranks to rank 0";
constexpr const char* paradigms_help = "echo requests to one or more servers through weft, under the job's paradigm (weftrun --paradigm)";
constexpr const char* paper_help = "the paper's figures on the fabric at hand as CSV, JSON and a page with plots; starts its jobs itself";

bool has_ranks(const char* command, int least_ranks, const Job& job) {
  if (job.size < least_ranks && job.rank == 0)
    fmt::print(stderr, "weft-bench {0} needs {1} ranks, this job has {2}; start it with: weftrun -n {1} weft-bench {0}\n", command, least_ranks,
               job.size);
  return job.size >= least_ranks;
}

int run_command(const Command& command, const Job& job, const Settings& settings) {
  const Report report{command.name, command.run(job, settings)};
  return job.rank != 0 || write_report(report, job, settings) ? 0 : 1;
}

// Everything a command line can say. Parsed before MPI_Init, so that a subcommand may decide how MPI starts; what went
// wrong is told afterwards, when it is known which rank speaks.
class CommandLine {
 public:
  CommandLine() : app_("Measures message passing beside the raw limits of the machine.\nStart it with: weftrun -n 2 weft-bench latency") {
    app_.name("weft-bench");
    app_.require_subcommand(1);
    for (const Command& command : commands) add_options(*app_.add_subcommand(command.name, command.help), settings_, sizes_);
    add_primitives_options(*app_.add_subcommand("primitives", primitives_help), primitives_);
    add_paper_options(*app_.add_subcommand("paper", paper_help), paper_);
    add_paradigms_options(*app_.add_subcommand("paradigms", paradigms_help), paradigms_);
  }

  void parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      mistake_ = std::make_unique<CLI::Error>(error);
    }
  }

  // Not a job: starts some.
  bool is_alone() const { return !mistake_ && (app_.got_subcommand("paper") || paradigms_.all); }
  int run_alone() {
    const std::string name = app_.get_subcommands()[0]->get_name();
    if (std::getenv("PMIX_NAMESPACE") != nullptr) {
      fmt::print(stderr, "weft-bench {}: starts its jobs itself; run it without a launcher\n", name);
      return exit_usage;
    }
    try {
      return app_.got_subcommand("paper") ? run_paper(paper_) : run_all_paradigms(paradigms_);
    } catch (const std::runtime_error& error) {
      fmt::print(stderr, "weft-bench {}: {}\n", name, error.what());
      return exit_failed;
    }
  }

  int thread_level() const { return app_.got_subcommand("paradigms") ? thread_level_of(paradigms_) : MPI_THREAD_SINGLE; }

  int run(const Job& job) {
    if (mistake_) return job.rank == 0 ? app_.exit(*mistake_) : mistake_->get_exit_code();
    try {
      return run_chosen(job);
    } catch (const std::invalid_argument& error) {
      if (job.rank == 0) fmt::print(stderr, "weft-bench {}: {}\n", app_.get_subcommands()[0]->get_name(), error.what());
      return exit_usage;
    } catch (const std::runtime_error& error) {
      fmt::print(stderr, "weft-bench {}: rank {} on {}: {}\n", app_.get_subcommands()[0]->get_name(), job.rank, job.host, error.what());
      MPI_Abort(MPI_COMM_WORLD, exit_failed);
      return exit_failed;
    }
  }

 private:
  int run_chosen(const Job& job) {
    if (!sizes_.empty()) settings_.sizes = parse_sizes(sizes_);
    for (const Command& command : commands)
      if (app_.got_subcommand(command.name))
        return has_ranks(command.name, command.least_ranks, job) ? run_command(command, job, settings_) : exit_usage;
    if (app_.got_subcommand("paradigms")) return has_ranks("paradigms", 2, job) ? run_paradigms(job, paradigms_) : exit_usage;
    return has_ranks("primitives", 2, job) ? run_primitives(job, primitives_) : exit_usage;
  }

  CLI::App app_;
  std::unique_ptr<CLI::Error> mistake_;
  Settings settings_;
  std::string sizes_;
  PrimitivesSettings primitives_;
  ParadigmsSettings paradigms_;
  PaperSettings paper_;
};

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  line.parse(argc, argv);
  if (line.is_alone()) return line.run_alone();
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, line.thread_level(), &level);
  const int code = line.run(join_job());
  MPI_Finalize();
  return code;
}
