/* Waiting for a number: at least, equal, changed, with and without a time limit; a chain of ranks that wake each other; a wait
 * costs no CPU and ends by the change. */
#include "../check.h"
#include <sys/resource.h>
#include <unistd.h>
#include <weft.h>

static double cpu_seconds(void)
{
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Each rank waits for its number and gives the next one on. */
static void chain(weft_counter counter, int rounds)
{
  int reached;
  int64_t seen;
  for (int round = 0; round < rounds; ++round) {
    const int64_t mine = (int64_t)round * job_size + my_rank;
    CHECK_MPI(weft_counter_wait(counter, 0, round % 2 ? WEFT_EQUAL : WEFT_AT_LEAST, mine, WEFT_NO_LIMIT, &seen, &reached));
    CHECK_EQUAL(reached, 1);
    CHECK_EQUAL(seen, mine);
    CHECK_MPI(weft_counter_fetch_add(counter, 0, 1, &seen));
    CHECK_EQUAL(seen, mine);
  }
  CHECK_MPI(weft_counter_wait(counter, 0, WEFT_AT_LEAST, (int64_t)rounds * job_size, WEFT_NO_LIMIT, NULL, &reached));
}

static void limits(weft_counter counter)
{
  int reached = -1;
  int64_t seen = 0;
  CHECK_MPI(weft_counter_wait(counter, 1, WEFT_EQUAL, 7, 0, &seen, &reached));
  CHECK_EQUAL(reached, 0);
  CHECK_EQUAL(seen, -5);
  CHECK_MPI(weft_counter_wait(counter, 1, WEFT_CHANGED, 7, 0, &seen, &reached));
  CHECK_EQUAL(reached, 1);
  const double start = MPI_Wtime();
  CHECK_MPI(weft_counter_wait(counter, 1, WEFT_AT_LEAST, -4, 0.2, &seen, &reached));
  CHECK_EQUAL(reached, 0);
  CHECK(MPI_Wtime() - start >= 0.2);
  CHECK(MPI_Wtime() - start < 30);
}

static void sleeps(weft_counter counter)
{
  int reached = 0;
  int64_t seen = 0;
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  const double before = cpu_seconds();
  if (my_rank == 0) {
    usleep(1000000);
    CHECK_MPI(weft_counter_swap(counter, 2, 1, NULL));
  } else {
    CHECK_MPI(weft_counter_wait(counter, 2, WEFT_CHANGED, 0, 60, &seen, &reached));
    CHECK_EQUAL(reached, 1);
    CHECK_EQUAL(seen, 1);
  }
  CHECK(cpu_seconds() - before < 0.25);
}

int main(int argc, char** argv)
{
  weft_counter counter;
  check_begin(&argc, &argv);
  CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, job_size - 1, 3, -5, &counter));
  limits(counter);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank == 0) {
    CHECK_MPI(weft_counter_swap(counter, 0, 0, NULL));
    CHECK_MPI(weft_counter_swap(counter, 2, 0, NULL));
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  chain(counter, argc > 1 ? atoi(argv[1]) : 200);
  sleeps(counter);
  CHECK_MPI(weft_counter_free(&counter));
  return check_end();
}
