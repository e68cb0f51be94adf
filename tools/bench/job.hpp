// The job as the benchmark sees it, through mpi.h alone: who am I, where do the ranks run, and one number that rank 0
// decides for all. One Job per process, made after MPI_Init; main thread only.
#pragma once

#include <cstdint>
#include <string>

namespace weft::bench {

struct Job {
  int rank = 0;
  int size = 1;
  bool one_node = true;        // every rank has the same host name
  bool own_cores = true;       // there are at least as many allowed processors as ranks
  std::string host;
  std::string library;         // first line of MPI_Get_library_version
};

Job join_job();

// Rank 0's value, on every rank.
std::int64_t agree(std::int64_t value);

double now_ns();

}  // namespace weft::bench
