// weft-bench collectives: the time of one blocking collective over all ranks, as rank 0 sees it over back-to-back calls.
// The limit is the shortest chain of hand-overs by which every rank can depend on every other, log2(ranks) rounded up, plus
// one copy of what a rank receives.
#include <mpi.h>

#include <bit>

#include "bench/commands.hpp"
#include "bench/raw_limits.hpp"
#include "bench/windows.hpp"

namespace weft::bench {
namespace {

struct Buffers { std::byte* in; std::byte* out; };

struct Collective {
  const char* name;
  bool sized;            // false: one row without a size
  bool per_rank_blocks;  // the buffers hold one block per rank
  void (*call)(Buffers buffers, int bytes);
};

// Reductions add doubles, so their sizes are rounded down to whole ones, one at least.
int doubles(int bytes) { return std::max(bytes / static_cast<int>(sizeof(double)), 1); }

constexpr Collective collectives[] = {
    {"barrier", false, false, [](Buffers, int) { MPI_Barrier(MPI_COMM_WORLD); }},
    {"bcast", true, false, [](Buffers b, int bytes) { MPI_Bcast(b.out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }},
    {"reduce", true, false,
     [](Buffers b, int bytes) { MPI_Reduce(b.in, b.out, doubles(bytes), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }},
    {"allreduce", true, false,
     [](Buffers b, int bytes) { MPI_Allreduce(b.in, b.out, doubles(bytes), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }},
    {"allgather", true, true,
     [](Buffers b, int bytes) { MPI_Allgather(b.in, bytes, MPI_BYTE, b.out, bytes, MPI_BYTE, MPI_COMM_WORLD); }},
    {"alltoall", true, true,
     [](Buffers b, int bytes) { MPI_Alltoall(b.in, bytes, MPI_BYTE, b.out, bytes, MPI_BYTE, MPI_COMM_WORLD); }},
};

constexpr std::size_t most_buffer_bytes = std::size_t{1} << 30;

}  // namespace

std::vector<Row> run_collectives(const Job& job, const Settings& settings) {
  const std::vector<std::size_t> sizes = settings.sizes.empty() ? parse_sizes("8,1k,64k,1M") : settings.sizes;
  const auto ranks = static_cast<unsigned>(job.size);
  const auto chain = static_cast<double>(std::bit_width(ranks - 1));
  PairMemory pair(job);
  std::vector<Row> rows;
  for (const Collective& collective : collectives) {
    for (const std::size_t bytes : collective.sized ? sizes : std::vector<std::size_t>{0}) {
      const std::size_t buffer_bytes = std::max<std::size_t>(bytes, sizeof(double)) * (collective.per_rank_blocks ? ranks : 1);
      if (buffer_bytes > most_buffer_bytes) continue;
      std::vector<double> in(buffer_bytes / sizeof(double) + 1, 1.0), out(in.size());
      const Buffers buffers{reinterpret_cast<std::byte*>(in.data()), reinterpret_cast<std::byte*>(out.data())};
      CopyLimit copy(job.rank == 0 ? buffer_bytes : 0);
      const std::size_t received_bytes = collective.sized ? buffer_bytes : 0;
      const auto limit = [&] {
        const double handoff_ns = job.rank < 2 ? pair.handoff_ns() : 0;
        return handoff_ns > 0 ? handoff_ns * chain + copy.copy_ns(received_bytes) : 0;
      };
      const Samples samples = measure(
          settings.seconds,
          [&](std::int64_t repetitions) {
            MPI_Barrier(MPI_COMM_WORLD);   // a rooted collective must not run ahead of the slowest rank
            for (std::int64_t i = 0; i < repetitions; ++i) collective.call(buffers, static_cast<int>(bytes));
          },
          limit);
      rows.push_back({collective.name, bytes, "ns", summarize(samples.value_ns), samples.value_ns.size(),
                      summarize(samples.limit_ns).median, bytes <= 64 ? "hand-offs" : "hand-offs + copy", median_ratio(samples.value_ns, samples.limit_ns)});
    }
  }
  return rows;
}

}  // namespace weft::bench
