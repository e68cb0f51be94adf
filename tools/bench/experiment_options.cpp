// The options of the experiments, in one file because the library that reads them is slow to compile.
#include <CLI/CLI.hpp>

#include "bench/paper/paper.hpp"
#include "bench/paradigms.hpp"
#include "bench/primitives_command.hpp"

namespace weft::bench {
namespace {

void add_output_options(CLI::App& command, Output& output) {
  command.add_option("--format", output.format, "how to print")->check(CLI::IsMember({"table", "csv", "json"}))->capture_default_str();
  command.add_option("--out", output.out, "write to this file instead of standard output");
}

}  // namespace

void add_primitives_options(CLI::App& command, PrimitivesSettings& settings) {
  command.add_option("--operations", settings.operations, "of send,write,read,faa,cas")->capture_default_str();
  command.add_option("--transports", settings.transports, "of rc,uc,ud")->capture_default_str();
  command.add_option("--sizes", settings.sizes, "payload bytes: 8,64,1k or a doubling range 1:4k; atomics have 8")->capture_default_str();
  command.add_option("--signal-every", settings.signal_every, "pieces of work to one signal: 1,64 or 1:512")->capture_default_str();
  command.add_option("--inline", settings.in_line, "payload in the request: of on,off,auto (where it fits)")->capture_default_str();
  command.add_option("--clients", settings.clients, "how many clients of rank 0: 1,2,4 or 1:8 (default: all other ranks)");
  command.add_option("--measure", settings.measure, "what to measure")->check(CLI::IsMember({"throughput", "latency", "both"}))->capture_default_str();
  command.add_option("--depth", settings.depth, "entries of the send queue")->check(CLI::Range(16, 16384))->capture_default_str();
  command.add_option("--list", settings.batch, "pieces of work behind one doorbell (throughput)")->check(CLI::Range(1, 64))->capture_default_str();
  command.add_option("--seconds", settings.seconds, "measuring time per figure")->check(CLI::Range(0.001, 3600.0))->capture_default_str();
  command.add_option("--device", settings.device.name, "RDMA device (default: the first with an active port)");
  command.add_option("--port", settings.device.port, "its port (default: the first active one)");
  command.add_option("--gid-index", settings.device.gid_index, "its GID (default: RoCE v2 on IPv4)");
  add_output_options(command, settings.output);
}

void add_paradigms_options(CLI::App& command, ParadigmsSettings& settings) {
  command.add_option("--sizes", settings.sizes, "payload bytes: 8,64,1k or a doubling range 1:4k")->capture_default_str();
  command.add_option("--windows", settings.windows, "requests of a client under way: 1,8,64 or 1:64")->capture_default_str();
  command.add_option("--clients", settings.clients, "how many clients: 1,2,4 or 1:8 (default: all ranks that don't serve)");
  command.add_option("--servers", settings.servers, "how many servers: the lowest ranks")->capture_default_str();
  command.add_option("--pollers", settings.pollers, "threads of each server, with clients of their own")->capture_default_str();
  command.add_option("--seconds", settings.seconds, "measuring time per figure")->check(CLI::Range(0.001, 3600.0))->capture_default_str();
  CLI::Option* all = command.add_flag("--all", settings.all, "started without a launcher: a job for each paradigm, one report");
  command.add_option("--paradigms", settings.paradigms, "which ones, by --all")->needs(all)->capture_default_str();
  command.add_option("--ranks", settings.ranks, "ranks of each job, by --all")->needs(all)->check(CLI::Range(2, 1'000'000))->capture_default_str();
  command.add_option("--launch", settings.launch, "what starts a job, such as 'weftrun --fabrics verbs', by --all (default: the weftrun beside this program)")->needs(all);
  add_output_options(command, settings.output);
}

void add_paper_options(CLI::App& command, PaperSettings& settings) {
  command.add_option("--out", settings.out, "folder for paper.html, paper.json and the CSV files")->required();
  command.add_flag("--quick", settings.quick, "few and very short measurements, to see that all works");
  command.add_option("--fabrics", settings.fabrics, "fabrics that weft may use (default: its choice)");
  command.add_option("--clients", settings.clients, "most clients of a server")->check(CLI::Range(1, 1024))->capture_default_str();
  command.add_option("--seconds", settings.seconds, "measuring time of all figures together")->check(CLI::Range(0.1, 86400.0))->capture_default_str();
  command.add_option("--device", settings.device, "RDMA device of the raw measurements (default: the first with an active port)");
  command.add_option("--launch", settings.launch, "what starts a job, such as 'weftrun --hosts a,b' (default: the weftrun beside this program)");
}

}  // namespace weft::bench
