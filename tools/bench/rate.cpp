// weft-bench rate: small messages per second, --window of them in flight, from each rank of the lower half to its
// partner in the upper half. The figure is per pair. The limit (with two ranks) is a stream of cache lines, one a message.
#include <mpi.h>

#include "bench/commands.hpp"
#include "bench/raw_limits.hpp"
#include "bench/windows.hpp"

namespace weft::bench {
namespace {

constexpr int data_tag = 4, answer_tag = 5;

void burst(bool sender, int partner, std::byte* buffer, int bytes, std::vector<MPI_Request>& requests) {
  char answer = 0;
  const int count = static_cast<int>(requests.size());
  for (int i = 0; i < count; ++i) {
    std::byte* place = buffer + static_cast<std::size_t>(i) * static_cast<std::size_t>(bytes);
    MPI_Request* request = &requests[static_cast<std::size_t>(i)];
    if (sender) MPI_Isend(place, bytes, MPI_BYTE, partner, data_tag, MPI_COMM_WORLD, request);
    else MPI_Irecv(place, bytes, MPI_BYTE, partner, data_tag, MPI_COMM_WORLD, request);
  }
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  if (sender) MPI_Recv(&answer, 1, MPI_BYTE, partner, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else MPI_Send(&answer, 1, MPI_BYTE, partner, answer_tag, MPI_COMM_WORLD);
}

}  // namespace

std::vector<Row> run_rate(const Job& job, const Settings& settings) {
  const std::vector<std::size_t> sizes = settings.sizes.empty() ? std::vector<std::size_t>{8} : settings.sizes;
  const int half = job.size / 2;
  const bool sender = job.rank < half, active = job.rank < 2 * half;
  const int partner = sender ? job.rank + half : job.rank - half;
  const auto window = static_cast<std::size_t>(settings.window);
  std::vector<std::byte> buffer(window * *std::max_element(sizes.begin(), sizes.end()));
  std::vector<MPI_Request> requests(window, MPI_REQUEST_NULL);
  PairMemory pair(job);
  const bool with_limit = job.size == 2;   // only then both ranks of the pair are at the same point
  std::vector<Row> rows;
  for (const std::size_t bytes : sizes) {
    Samples samples = measure(
        settings.seconds,
        [&](std::int64_t repetitions) {
          for (std::int64_t i = 0; i < repetitions && active; ++i)
            burst(sender, partner, buffer.data(), static_cast<int>(bytes), requests);
        },
        [&] { return with_limit ? pair.line_stream_ns() : 0; });
    for (std::size_t i = 0; i < samples.value_ns.size(); ++i) {   // to millions per second
      samples.value_ns[i] = static_cast<double>(window) * 1e3 / samples.value_ns[i];
      if (samples.limit_ns[i] > 0) samples.limit_ns[i] = 1e3 / samples.limit_ns[i];
    }
    rows.push_back({"rate per pair", bytes, "M/s", summarize(samples.value_ns), samples.value_ns.size(),
                    summarize(samples.limit_ns).median, with_limit ? "line stream" : "",
                    median_ratio(samples.value_ns, samples.limit_ns)});
  }
  return rows;
}

}  // namespace weft::bench
