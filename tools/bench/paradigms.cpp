// weft-bench paradigms: the sweep, one record a point; see paradigms.hpp.
#include "bench/paradigms.hpp"

#include <fmt/format.h>
#include <weft.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "bench/settings.hpp"

namespace weft::bench {
namespace {

struct Sweep { std::vector<std::size_t> sizes; std::vector<int> windows, clients, servers, pollers; };

int most(const std::vector<int>& counts) { return *std::max_element(counts.begin(), counts.end()); }

Sweep parse_sweep(const ParadigmsSettings& settings, const Job& job) {
  Sweep sweep{parse_sizes(settings.sizes), parse_counts(settings.windows), {}, parse_counts(settings.servers), parse_counts(settings.pollers)};
  sweep.clients = settings.clients.empty() ? std::vector<int>{job.size - most(sweep.servers)} : parse_counts(settings.clients);
  const int needed = most(sweep.servers) + std::max(most(sweep.clients), 1);
  if (needed > job.size)
    throw std::invalid_argument(fmt::format("{} servers and {} clients need {} ranks, this job has {}", most(sweep.servers),
                                            std::max(most(sweep.clients), 1), needed, job.size));
  return sweep;
}

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

struct Total { double requests_per_second = 0, client_cores = 0, server_cores = 0, requests = 0, wasted_reads = 0; };

// Of the group, at its rank 0.
Total collect(const EchoGroup& group, const EchoPoint& point, const EchoResult& mine) {
  std::vector<EchoResult> all(static_cast<std::size_t>(point.servers + point.clients));
  MPI_Gather(&mine, static_cast<int>(sizeof mine), MPI_BYTE, all.data(), static_cast<int>(sizeof mine), MPI_BYTE, 0, group.all);
  Total total;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const EchoResult& one = all[rank];
    if (!(one.seconds > 0)) continue;   // at other ranks than the root
    (rank < static_cast<std::size_t>(point.servers) ? total.server_cores : total.client_cores) += one.cpu_seconds / one.seconds;
    total.requests_per_second += one.requests / one.seconds;
    total.requests += one.requests;
    total.wasted_reads += one.wasted_reads;
  }
  return total;
}

// Three parts: the times of all of them, the rate of the middle one, so that one disturbance by the machine makes no figure.
Record measure_point(const EchoGroup& group, const EchoPoint& point, const TickClock& clock, double seconds) {
  constexpr int parts = 3;
  Histogram mine;
  std::vector<Total> totals;
  for (int part = 0; part < parts; ++part) totals.push_back(collect(group, point, echo(group, point, clock, seconds / parts, mine)));
  const Histogram times = sum_at_root(mine, group.all);
  std::sort(totals.begin(), totals.end(), [](const Total& a, const Total& b) { return a.requests_per_second < b.requests_per_second; });
  const Total& middle = totals[parts / 2];
  weft_peer first_client{};
  weft_peer_info(group.all, point.servers, &first_client);
  return {{"paradigm", first_client.paradigm}, {"fabric", first_client.fabric}, {"bytes", point.bytes}, {"window", point.window}, {"clients", point.clients},
          {"servers", point.servers}, {"pollers", point.pollers}, {"requests/s", middle.requests_per_second}, {"p50 us", times.percentile_ns(0.5) / 1e3},
          {"p99 us", times.percentile_ns(0.99) / 1e3}, {"p99.9 us", times.percentile_ns(0.999) / 1e3}, {"samples", times.count()},
          {"client CPU", middle.client_cores}, {"server CPU", middle.server_cores}, {"wasted READs a request", middle.requests > 0 ? middle.wasted_reads / middle.requests : 0}};
}

EchoGroup make_group(const Job& job, int ranks, int pollers) {
  EchoGroup group;
  MPI_Comm_split(MPI_COMM_WORLD, job.rank < ranks ? 0 : MPI_UNDEFINED, job.rank, &group.all);
  for (int poller = 0; poller < pollers && group.all != MPI_COMM_NULL; ++poller) {
    group.of_poller.push_back(MPI_COMM_NULL);
    MPI_Comm_dup(group.all, &group.of_poller.back());
  }
  return group;
}

void free_group(EchoGroup& group) {
  for (MPI_Comm& comm : group.of_poller) MPI_Comm_free(&comm);
  if (group.all != MPI_COMM_NULL) MPI_Comm_free(&group.all);
}

Records run_sweep(const Job& job, const Sweep& sweep, double seconds) {
  const TickClock clock;
  Records records = Records::array();
  for (const int servers : sweep.servers)
    for (const int pollers : sweep.pollers)
      for (const int clients : sweep.clients) {
        EchoGroup group = make_group(job, servers + clients, pollers);
        for (const int window : sweep.windows)
          for (const std::size_t bytes : sweep.sizes)
            if (group.all != MPI_COMM_NULL) records.push_back(measure_point(group, {bytes, window, clients, servers, pollers}, clock, seconds));
        free_group(group);
      }
  return records;
}

}  // namespace

int thread_level_of(const ParadigmsSettings& settings) {
  return settings.pollers == "1" ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;
}

int run_paradigms(const Job& job, const ParadigmsSettings& settings) {
  const Sweep sweep = parse_sweep(settings, job);
  const bool shares_core = ranks_share_cores();
  const Records records = run_sweep(job, sweep, settings.seconds);
  MPI_Barrier(MPI_COMM_WORLD);
  if (job.rank != 0) return exit_done;
  const Record facts = {{"command", "paradigms"}, {"library", job.library}, {"host", job.host}, {"ranks", job.size}, {"own cores", !shares_core},
                        {"fabrics", variable("WEFT_FABRICS", "chosen by weft")}};
  return write_records(facts, records, settings.output) ? exit_done : exit_failed;
}

}  // namespace weft::bench
