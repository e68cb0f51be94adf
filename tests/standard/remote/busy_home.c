/* The home computes without a call while the others use its counter and its lock (RM01). Arguments: operations a rank. */
#include "../check.h"
#include <weft.h>

static volatile double result;

static void compute(double seconds)
{
  const double end = MPI_Wtime() + seconds;      /* MPI_Wtime makes no progress */
  double x = 1;
  while (MPI_Wtime() < end)
    for (int i = 0; i < 1000; ++i) x = x * 1.0000001 + 1e-9;
  result = x;
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 100;
  const double seconds = 1.5;
  weft_counter counter;
  weft_lock lock;
  CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, 0, 2, 0, &counter));
  CHECK_MPI(weft_lock_create(MPI_COMM_WORLD, 0, 0, &lock));
  for (int round = 0; round < 2; ++round) {
    int64_t value, done = 0;
    double ended = 0, *ends = check_allocate(sizeof(double) * (size_t)job_size);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const double start = MPI_Wtime();
    if (my_rank == 0) {
      compute(seconds);
      CHECK_MPI(weft_counter_read(counter, 1, &done));
    } else {
      for (int i = 0; i < times; ++i) {
        CHECK_MPI(weft_counter_fetch_add(counter, 0, 1, NULL));
        CHECK_MPI(weft_lock_acquire(lock, WEFT_NO_LIMIT, NULL));
        CHECK_MPI(weft_counter_read(counter, 1, &value));
        CHECK_MPI(weft_counter_swap(counter, 1, value + 1, NULL));
        CHECK_MPI(weft_lock_release(lock));
      }
      ended = MPI_Wtime() - start;
    }
    CHECK_MPI(MPI_Gather(&ended, 1, MPI_DOUBLE, ends, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    if (my_rank == 0 && getenv("PRINT_TIMES"))
      for (int rank = 1; rank < job_size; ++rank)
        printf("rank %d done after %.3f s; %lld of %d seen at the end of computing\n", rank, ends[rank], (long long)done,
               times * (job_size - 1) * (round + 1));
    /* On a loaded machine they may not all be done; without progress none would be. */
    if (my_rank == 0 && job_size > 1) CHECK(done > (int64_t)times * (job_size - 1) * round);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(weft_counter_read(counter, 0, &value));
    CHECK_EQUAL(value, (int64_t)times * (job_size - 1) * (round + 1));
    CHECK_MPI(weft_counter_read(counter, 1, &value));
    CHECK_EQUAL(value, (int64_t)times * (job_size - 1) * (round + 1));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    free(ends);
  }
  CHECK_MPI(weft_lock_free(&lock));
  CHECK_MPI(weft_counter_free(&counter));
  return check_end();
}
