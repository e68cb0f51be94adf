// weft-bench limits: the machine alone. Hand-off and stream of cache lines between the cores of ranks 0 and 1, a wake-up
// by futex, copies of memory, system calls. Nothing of MPI is measured; with one rank the rows for two are left out.
#include "bench/commands.hpp"
#include "bench/raw_limits.hpp"
#include "bench/windows.hpp"

namespace weft::bench {
namespace {

// Every rank takes part (agree() is collective); those without a part get no figures.
template <typename Figure>
void add_row(std::vector<Row>& rows, const Settings& settings, const char* name, std::size_t bytes, Figure&& figure) {
  std::vector<double> values;
  const Samples samples = measure(settings.seconds, [](std::int64_t) {}, [&] { return figure(); });
  for (const double value : samples.limit_ns)
    if (value > 0) values.push_back(bytes == 0 ? value : static_cast<double>(bytes) / value);
  if (!values.empty()) rows.push_back({name, bytes, bytes == 0 ? "ns" : "GB/s", summarize(values), values.size(), 0, "", 0});
}

}  // namespace

std::vector<Row> run_limits(const Job& job, const Settings& settings) {
  const std::vector<std::size_t> sizes = settings.sizes.empty() ? parse_sizes("64,1k,8k,64k,1M,16M") : settings.sizes;
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
  std::vector<Row> rows;
  PairMemory pair(job);
  const bool in_pair = job.rank < 2 && pair.usable();
  if (job.size >= 2) {
    if (job.own_cores) {
      add_row(rows, settings, "line hand-off", 0, [&] { return in_pair ? pair.handoff_ns() : 0; });
      add_row(rows, settings, "line in a stream", 0, [&] { return in_pair ? pair.line_stream_ns() : 0; });
    }
    add_row(rows, settings, "futex hand-off", 0, [&] { return in_pair ? pair.sleeping_handoff_ns() : 0; });
  }
  add_row(rows, settings, "futex wake of nobody", 0, wake_nobody_ns);
  add_row(rows, settings, "system call", 0, system_call_ns);
  add_row(rows, settings, "clock read", 0, clock_read_ns);
  CopyLimit copy(job.rank == 0 ? largest : 0);
  for (const std::size_t bytes : sizes)
    if (bytes > 0) add_row(rows, settings, "copy", bytes, [&] { return copy.copy_ns(bytes); });
  return rows;
}

}  // namespace weft::bench
