// weft-bench bandwidth: bytes per second from rank 0 to rank 1 with --window messages in flight; rank 1 answers a whole
// window with one byte. The limit is a plain copy of the same size inside one process.
#include <mpi.h>

#include "bench/commands.hpp"
#include "bench/raw_limits.hpp"
#include "bench/windows.hpp"

namespace weft::bench {
namespace {

constexpr int data_tag = 2, answer_tag = 3;
constexpr std::size_t most_bytes_in_flight = std::size_t{64} << 20;

// Each message in flight has a buffer of its own; large ones are fewer, two at least, so that memory stays bounded.
std::size_t in_flight(std::size_t bytes, int window) {
  const std::size_t fitting = most_bytes_in_flight / std::max<std::size_t>(bytes, 1);
  return std::min(static_cast<std::size_t>(window), std::max<std::size_t>(fitting, 2));
}

void stream(int rank, std::byte* buffer, std::size_t bytes, std::vector<MPI_Request>& requests) {
  char answer = 0;
  const int count = static_cast<int>(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    std::byte* place = buffer + i * bytes;
    if (rank == 0) MPI_Isend(place, static_cast<int>(bytes), MPI_BYTE, 1, data_tag, MPI_COMM_WORLD, &requests[i]);
    else MPI_Irecv(place, static_cast<int>(bytes), MPI_BYTE, 0, data_tag, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  if (rank == 0) MPI_Recv(&answer, 1, MPI_BYTE, 1, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else MPI_Send(&answer, 1, MPI_BYTE, 0, answer_tag, MPI_COMM_WORLD);
}

Row to_row(std::size_t bytes, double bytes_per_repetition, Samples& samples) {
  for (std::size_t i = 0; i < samples.value_ns.size(); ++i) {   // bytes per nanosecond are GB/s
    samples.value_ns[i] = bytes_per_repetition / samples.value_ns[i];
    if (samples.limit_ns[i] > 0) samples.limit_ns[i] = static_cast<double>(bytes) / samples.limit_ns[i];
  }
  return {"bandwidth", bytes, "GB/s", summarize(samples.value_ns), samples.value_ns.size(),
          summarize(samples.limit_ns).median, "copy", median_ratio(samples.value_ns, samples.limit_ns)};
}

}  // namespace

std::vector<Row> run_bandwidth(const Job& job, const Settings& settings) {
  const std::vector<std::size_t> sizes = settings.sizes.empty() ? parse_sizes("1:64M") : settings.sizes;
  std::size_t buffer_bytes = 0, largest = 0;
  for (const std::size_t bytes : sizes) {
    buffer_bytes = std::max(buffer_bytes, bytes * in_flight(bytes, settings.window));
    largest = std::max(largest, bytes);
  }
  std::vector<std::byte> buffer(job.rank < 2 ? buffer_bytes : 0, std::byte{1});
  CopyLimit copy(job.rank == 0 ? largest : 0);
  std::vector<Row> rows;
  for (const std::size_t bytes : sizes) {
    std::vector<MPI_Request> requests(in_flight(bytes, settings.window), MPI_REQUEST_NULL);
    Samples samples = measure(
        settings.seconds,
        [&](std::int64_t repetitions) {
          for (std::int64_t i = 0; i < repetitions && job.rank < 2; ++i) stream(job.rank, buffer.data(), bytes, requests);
        },
        [&] { return copy.copy_ns(bytes); });
    rows.push_back(to_row(bytes, static_cast<double>(bytes * requests.size()), samples));
  }
  return rows;
}

}  // namespace weft::bench
