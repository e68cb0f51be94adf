/* More ranks than cores: loops of every small pattern complete, with right answers (OS02, for its function).
 * Argument: rounds. */
#include "../check.h"

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  int* all = check_allocate((size_t)job_size * sizeof(int));
  for (int i = 0; i < rounds; ++i) {
    int got = -1, sum = 0, mine = my_rank + i;
    CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQUAL(sum, job_size * (job_size - 1) / 2 + job_size * i);
    CHECK_MPI(MPI_Sendrecv(&mine, 1, MPI_INT, to, i, &got, 1, MPI_INT, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQUAL(got, from + i);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (i % 10 == 0) {
      CHECK_MPI(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
      for (int rank = 0; rank < job_size; ++rank) CHECK_EQUAL(all[rank], rank + i);
    }
    /* a chain through all ranks: each must be woken in its turn */
    int token = my_rank == 0 ? i : -1;
    if (my_rank > 0) CHECK_MPI(MPI_Recv(&token, 1, MPI_INT, my_rank - 1, 9999, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (my_rank + 1 < job_size) CHECK_MPI(MPI_Send(&token, 1, MPI_INT, my_rank + 1, 9999, MPI_COMM_WORLD));
    CHECK_EQUAL(token, i);
  }
  free(all);
  return check_end();
}
