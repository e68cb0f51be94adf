/* Threads that each create communicators from one of their own, at once, in whatever order: contexts never meet, and a thread that waits
 * lets the others in. */
#include <pthread.h>

#include "../check.h"

enum { threads = 4, rounds = 30 };
static MPI_Comm base[threads];

static void* work(void* argument)
{
  const int me = *(int*)argument;
  int left = (my_rank + job_size - 1) % job_size, right = (my_rank + 1) % job_size;
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm copy, part;
    int out = my_rank * 100000 + me * 1000 + round, in = -1, size;
    CHECK_MPI(MPI_Comm_dup(base[me], &copy));
    CHECK_MPI(MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, copy, MPI_STATUS_IGNORE));
    CHECK_EQUAL(in, left * 100000 + me * 1000 + round);
    CHECK_MPI(MPI_Comm_split(copy, my_rank % 2, 0, &part));
    CHECK_MPI(MPI_Comm_size(part, &size));
    CHECK_EQUAL(size, (job_size + 1 - my_rank % 2) / 2);
    CHECK_MPI(MPI_Barrier(part));
    CHECK_MPI(MPI_Comm_free(&part));
    CHECK_MPI(MPI_Comm_free(&copy));
  }
  return NULL;
}

int main(int argc, char** argv)
{
  pthread_t thread[threads];
  int number[threads];
  check_begin_level(&argc, &argv, MPI_THREAD_MULTIPLE);
  for (int i = 0; i < threads; ++i) CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &base[i]));
  for (int i = 0; i < threads; ++i) {
    number[i] = i;
    CHECK(pthread_create(&thread[i], NULL, work, &number[i]) == 0);
  }
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(thread[i], NULL) == 0);
  for (int i = 0; i < threads; ++i) CHECK_MPI(MPI_Comm_free(&base[i]));
  return check_end();
}
