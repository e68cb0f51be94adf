// weft-bench latency: the one-way time of a message between ranks 0 and 1 by ping-pong. The limit is one hand-over of a
// cache line between the two cores plus one copy of the payload.
#include <mpi.h>

#include "bench/commands.hpp"
#include "bench/raw_limits.hpp"
#include "bench/windows.hpp"

namespace weft::bench {
namespace {

constexpr int tag = 1;

void ping_pong(int rank, std::byte* out, std::byte* in, int bytes, std::int64_t repetitions) {
  for (std::int64_t i = 0; i < repetitions; ++i) {
    if (rank == 0) {
      MPI_Send(out, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
      MPI_Recv(in, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
    }
  }
}

}  // namespace

std::vector<Row> run_latency(const Job& job, const Settings& settings) {
  std::vector<std::size_t> sizes = settings.sizes;
  if (sizes.empty()) sizes = parse_sizes("0,1,8,64,256,1k,4k,8k,16k,64k,256k,1M,4M");
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
  std::vector<std::byte> out(largest, std::byte{1}), in(largest);
  PairMemory pair(job);
  CopyLimit copy(job.rank == 0 ? largest : 0);
  std::vector<Row> rows;
  for (const std::size_t bytes : sizes) {
    Samples samples = measure(
        settings.seconds,
        [&](std::int64_t repetitions) {
          if (job.rank < 2) ping_pong(job.rank, out.data(), in.data(), static_cast<int>(bytes), repetitions);
        },
        [&] {
          const double handoff_ns = pair.handoff_ns();
          return handoff_ns > 0 ? handoff_ns + copy.copy_ns(bytes) : 0;
        });
    for (double& value : samples.value_ns) value /= 2;   // there and back
    rows.push_back({"latency", bytes, "ns", summarize(samples.value_ns), samples.value_ns.size(),
                    summarize(samples.limit_ns).median, bytes <= 64 ? "hand-off" : "hand-off + copy",
                    median_ratio(samples.value_ns, samples.limit_ns)});
  }
  return rows;
}

}  // namespace weft::bench
