// weft-bench primitives: the sweep, one record a point; see primitives.hpp.
#include "bench/primitives.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include "bench/primitives_command.hpp"
#include "bench/settings.hpp"

namespace weft::bench {

using verbs::Operation;
using verbs::Transport;

namespace {

bool is_atomic(Operation operation) { return operation == Operation::fetch_add || operation == Operation::compare_swap; }
bool takes_in_line(Operation operation) { return operation == Operation::send || operation == Operation::write; }

template <typename Value, std::size_t Count>
std::vector<Value> named(const std::string& text, const std::pair<const char*, Value> (&names)[Count]) {
  std::vector<Value> values;
  for (const std::string& word : split_words(text)) {
    const auto* found = std::find_if(std::begin(names), std::end(names), [&](const auto& name) { return word == name.first; });
    if (found == std::end(names)) throw std::invalid_argument("'" + word + "' is not known here");
    values.push_back(found->second);
  }
  return values;
}

constexpr std::pair<const char*, Operation> operation_names[] = {
    {"send", Operation::send}, {"write", Operation::write}, {"read", Operation::read}, {"faa", Operation::fetch_add}, {"cas", Operation::compare_swap}};
constexpr std::pair<const char*, Transport> transport_names[] = {{"rc", Transport::rc}, {"uc", Transport::uc}, {"ud", Transport::ud}};

enum class InLine { off, on, where_it_fits };
constexpr std::pair<const char*, InLine> in_line_names[] = {{"off", InLine::off}, {"on", InLine::on}, {"auto", InLine::where_it_fits}};

struct Sweep {
  std::vector<Operation> operations;
  std::vector<Transport> transports;
  std::vector<InLine> in_line;
  std::vector<std::size_t> sizes;
  std::vector<int> intervals, clients;
};

Sweep parse_sweep(const PrimitivesSettings& settings, const Job& job) {
  Sweep sweep{named(settings.operations, operation_names), named(settings.transports, transport_names), named(settings.in_line, in_line_names),
              parse_sizes(settings.sizes), parse_counts(settings.signal_every), {}};
  if (settings.clients.empty()) sweep.clients = {job.size - 1};
  else sweep.clients = parse_counts(settings.clients);
  for (std::size_t& size : sweep.sizes) size = std::max<std::size_t>(size, 1);
  if (const int most = *std::max_element(sweep.clients.begin(), sweep.clients.end()); most > job.size - 1)
    throw std::invalid_argument(fmt::format("{} clients and their server need {} ranks, this job has {}", most, most + 1, job.size));
  return sweep;
}

// What the devices of all ranks grant.
struct Granted { int inline_bytes = 0; int datagram_bytes = 0; };

// The points for one number of clients, without those that a transport cannot carry. Where inline is a choice, READs and
// atomics, which know no inline, stand there once.
std::vector<Primitive> points_of(const Sweep& sweep, int clients, Granted granted) {
  std::vector<Primitive> points;
  for (const Operation operation : sweep.operations)
    for (const Transport transport : sweep.transports)
      for (const InLine in_line : takes_in_line(operation) ? sweep.in_line : std::vector<InLine>{InLine::off})
        for (const std::size_t bytes : is_atomic(operation) ? std::vector<std::size_t>{8} : sweep.sizes)
          for (const int interval : sweep.intervals) {
            const bool fits = static_cast<int>(bytes) <= granted.inline_bytes;
            if (!verbs::carries(transport, operation) || (in_line == InLine::on && !fits)) continue;
            if (transport == Transport::ud && static_cast<int>(bytes) > granted.datagram_bytes) continue;
            points.push_back({operation, transport, static_cast<std::uint32_t>(bytes), interval, takes_in_line(operation) && in_line != InLine::off && fits, clients});
          }
  return points;
}

struct Total {
  double sent = 0, received = 0;   // received: of a SEND
  double operations_per_second = 0, client_cores = 0, server_cores = 0;
};

// Of the ranks that take part, at rank 0. What UC and UD lost shows in what the server received of a SEND.
Total collect(const PrimitiveBench& bench, const Primitive& point, const StreamResult& mine) {
  std::vector<StreamResult> all(static_cast<std::size_t>(point.clients) + 1);
  MPI_Gather(&mine, static_cast<int>(sizeof mine), MPI_BYTE, all.data(), static_cast<int>(sizeof mine), MPI_BYTE, 0, bench.active);
  Total total;
  if (!bench.is_server()) return total;
  total.received = all[0].operations;
  total.server_cores = all[0].cores();
  double longest_seconds = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    total.sent += all[i].operations;
    total.client_cores += all[i].cores();
    total.operations_per_second += all[i].operations / all[i].seconds;
    longest_seconds = std::max(longest_seconds, all[i].seconds);
  }
  if (point.operation == Operation::send) total.operations_per_second = total.received / longest_seconds;
  return total;
}

std::uint64_t& counter(const PrimitiveBench& bench) { return *reinterpret_cast<std::uint64_t*>(bench.at(0)); }

Total stream_once(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point) {
  if (bench.is_server()) counter(bench) = 0;
  const Total total = collect(bench, point, stream(bench, connections, point));
  if (bench.is_server() && point.operation == Operation::fetch_add && static_cast<double>(counter(bench)) != total.sent)
    throw std::runtime_error(fmt::format("{} fetch-and-adds of 1 left the counter at {}", total.sent, counter(bench)));
  return total;
}

// The median of three, so that one disturbance by the machine makes no figure.
void add_throughput(PrimitiveBench bench, verbs::Connections& connections, const Primitive& point, Record& record) {
  constexpr int parts = 3;
  bench.seconds /= parts;
  std::vector<Total> totals;
  double lost = 0;
  for (int part = 0; part < parts; ++part) {
    totals.push_back(stream_once(bench, connections, point));
    lost += totals.back().sent - totals.back().received;
  }
  if (!bench.is_server()) return;
  std::sort(totals.begin(), totals.end(), [](const Total& a, const Total& b) { return a.operations_per_second < b.operations_per_second; });
  const Total& middle = totals[parts / 2];
  record["ops/s"] = middle.operations_per_second;
  record["MB/s"] = middle.operations_per_second * point.bytes / 1e6;
  record["client CPU"] = middle.client_cores;
  record["server CPU"] = middle.server_cores;
  if (point.operation == Operation::send) record["lost"] = lost;
}

void add_latency(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point, Record& record) {
  Histogram times;
  std::uint64_t repeated = time_single_operations(bench, connections, point, times), all_repeated = 0;
  const Histogram all = sum_at_root(times, bench.active);
  MPI_Reduce(&repeated, &all_repeated, 1, MPI_UINT64_T, MPI_SUM, 0, bench.active);
  record["p50 us"] = all.percentile_ns(0.5) / 1e3;
  record["p99 us"] = all.percentile_ns(0.99) / 1e3;
  record["p99.9 us"] = all.percentile_ns(0.999) / 1e3;
  record["timed"] = takes_in_line(point.operation) ? "one way" : "to completion";
  record["samples"] = all.count();
  if (point.transport != Transport::rc) record["repeated"] = all_repeated;
}

Record measure_point(const PrimitiveBench& bench, verbs::Connections& connections, const Primitive& point, const PrimitivesSettings& settings) {
  Record record = {{"operation", verbs::name_of(point.operation)}, {"transport", verbs::name_of(point.transport)}, {"bytes", point.bytes},
                   {"inline", takes_in_line(point.operation) ? Record(point.in_line ? "on" : "off") : Record(nullptr)},
                   {"signal every", point.signal_every}, {"clients", point.clients}};
  if (settings.measure != "latency") add_throughput(bench, connections, point, record);
  if (settings.measure != "throughput") add_latency(bench, connections, point, record);
  return record;
}

struct AllConnections {
  std::map<Transport, std::unique_ptr<verbs::Connections>> by_transport;

  AllConnections(const Job& job, const verbs::Device& device, const verbs::Region& region, const verbs::Layout& layout, const Sweep& sweep, int depth) {
    for (const Transport transport : sweep.transports)
      if (auto& place = by_transport[transport]; !place) place = std::make_unique<verbs::Connections>(job, device, region, layout, transport, depth);
  }
  // The least over all transports of all ranks.
  Granted granted(const verbs::Device& device) {
    int limits[] = {INT32_MAX, 128 << device.port_state().active_mtu};
    for (auto& [transport, connections] : by_transport) limits[0] = std::min(limits[0], connections->pair(0).inline_limit());
    MPI_Allreduce(MPI_IN_PLACE, limits, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return {limits[0], limits[1]};
  }
};

Records run_sweep(PrimitiveBench& bench, AllConnections& connections, const Sweep& sweep, Granted granted, const PrimitivesSettings& settings) {
  Records records = Records::array();
  for (const int clients : sweep.clients) {
    const bool takes_part = bench.job.rank <= clients;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, bench.job.rank, &bench.active);
    if (!takes_part) continue;
    for (const Primitive& point : points_of(sweep, clients, granted))
      records.push_back(measure_point(bench, *connections.by_transport.at(point.transport), point, settings));
    MPI_Comm_free(&bench.active);
  }
  return records;
}

int measure_on(const verbs::Device& device, const Job& job, const PrimitivesSettings& settings) {
  const Sweep sweep = parse_sweep(settings, job);
  const verbs::Layout layout(*std::max_element(sweep.sizes.begin(), sweep.sizes.end()), job.rank == 0 ? job.size - 1 : 1);
  const verbs::Region region(device, layout.total_bytes());
  AllConnections connections(job, device, region, layout, sweep, settings.depth);
  const TickClock clock;
  PrimitiveBench bench{job, clock, device, region, layout, settings.batch, settings.seconds, ranks_share_cores(), MPI_COMM_NULL};
  const Granted granted = connections.granted(device);
  const Records records = run_sweep(bench, connections, sweep, granted, settings);
  MPI_Barrier(MPI_COMM_WORLD);
  if (job.rank != 0) return exit_done;
  const Record facts = {{"command", "primitives"}, {"device", device.describe()}, {"host", job.host}, {"ranks", job.size},
                        {"own cores", !bench.shares_core}, {"queue depth", settings.depth}, {"list", settings.batch}, {"inline limit", granted.inline_bytes}};
  return write_records(facts, records, settings.output) ? exit_done : exit_failed;
}

}  // namespace

int run_primitives(const Job& job, const PrimitivesSettings& settings) {
  std::unique_ptr<verbs::Device> device;
  std::string note;
  try {
    device = std::make_unique<verbs::Device>(settings.device);
  } catch (const verbs::Unavailable& unavailable) {
    note = unavailable.what();
  }
  if (!everyone_can(job, "primitives", note)) return exit_unavailable;
  return measure_on(*device, job, settings);
}

void EmptyPolls::wait_a_bit() {
  constexpr unsigned polls_before_yield = 4096;
  if (shares_core_ || ++count_ % polls_before_yield == 0) sched_yield();
}

verbs::Work PrimitiveBench::work(const Primitive& point, const verbs::QueuePair& pair, int peer) const {
  const bool atomic = is_atomic(point.operation), reads = point.operation == Operation::read;
  // A client's slot at the server is that of its rank; the server's at a client is the only one
  const std::size_t theirs = is_server() ? layout.incoming(0) : layout.incoming(job.rank - 1);
  verbs::Work work;
  work.operation = point.operation;
  work.bytes = point.bytes;
  work.in_line = point.in_line;
  work.local = region.address() + (atomic ? 0 : reads ? layout.incoming(peer) : layout.outgoing(peer));
  work.remote = pair.peer().memory + (atomic ? 0 : theirs);
  work.compare_or_add = 1;
  work.swap = 1;
  return work;
}

}  // namespace weft::bench
