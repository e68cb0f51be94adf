// The job as the benchmark sees it; see job.hpp.
#include "bench/job.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "bench/tick_clock.hpp"

namespace weft::bench {
namespace {

constexpr std::size_t name_bytes = 256;

bool same_on_all_ranks(const std::string& text) {
  std::array<char, name_bytes> mine{};
  text.copy(mine.data(), mine.size() - 1);
  std::array<char, name_bytes> first = mine;
  MPI_Bcast(first.data(), static_cast<int>(name_bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  int same = std::memcmp(mine.data(), first.data(), name_bytes) == 0 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return same == 1;
}

// The processors that any rank may use, counted.
int processors_of_job() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  MPI_Allreduce(MPI_IN_PLACE, &allowed, static_cast<int>(sizeof allowed), MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  return CPU_COUNT(&allowed);
}

}  // namespace

Job join_job() {
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.size);
  std::array<char, name_bytes> host{};
  gethostname(host.data(), host.size() - 1);
  job.host = host.data();
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  job.library = version.data();
  job.library.resize(std::min(job.library.size(), job.library.find('\n')));
  std::replace(job.library.begin(), job.library.end(), '\t', ' ');
  job.one_node = same_on_all_ranks(job.host);
  job.own_cores = !job.one_node || processors_of_job() >= job.size;
  return job;
}

std::int64_t agree(std::int64_t value) {
  MPI_Bcast(&value, static_cast<int>(sizeof value), MPI_BYTE, 0, MPI_COMM_WORLD);
  return value;
}

double now_ns() {
  static const TickClock clock;
  return clock.ns(clock.now());
}

}  // namespace weft::bench
