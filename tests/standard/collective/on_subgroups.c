/* Collectives on split, duplicated, reordered and one-member communicators, used turn by turn and at once. */
#include "forms.h"

static void sum_and_gather(MPI_Comm comm, int expected_size, int salt)
{
  int rank = -1, size = -1, sum = 0, want = 0, last = -1;
  CHECK_MPI(MPI_Comm_rank(comm, &rank));
  CHECK_MPI(MPI_Comm_size(comm, &size));
  CHECK_EQUAL(size, expected_size);
  const int mine = value_at(rank, salt);
  for (int k = 0; k < size; ++k) want += value_at(k, salt);
  CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK_EQUAL(sum, want);
  int* all = untouched_ints(size);
  CHECK_MPI(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm));
  for (int k = 0; k < size; ++k) CHECK_EQUAL(all[k], value_at(k, salt));
  last = rank == size - 1 ? salt : -1;
  CHECK_MPI(MPI_Bcast(&last, 1, MPI_INT, size - 1, comm));
  CHECK_EQUAL(last, salt);
  CHECK_MPI(MPI_Barrier(comm));
  free(all);
}

int main(int argc, char** argv)
{
  MPI_Comm halves, reversed, copy, none = MPI_COMM_WORLD;
  int rank = -1;
  check_begin(&argc, &argv);
  const int evens = (job_size + 1) / 2, odds = job_size / 2;
  for (int turn = 0; turn < 10; ++turn) { /* again and again: contexts must not be mixed up */
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, my_rank, &halves));
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, 0, -my_rank, &reversed));
    CHECK_MPI(MPI_Comm_dup(halves, &copy));
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, my_rank == 0 ? MPI_UNDEFINED : 1, 0, &none));
    CHECK((none == MPI_COMM_NULL) == (my_rank == 0));
    CHECK_MPI(MPI_Comm_rank(reversed, &rank));
    CHECK_EQUAL(rank, job_size - 1 - my_rank);
    for (int i = 0; i < 5; ++i) {
      sum_and_gather(halves, my_rank % 2 ? odds : evens, i);
      sum_and_gather(reversed, job_size, i + 1);
      sum_and_gather(copy, my_rank % 2 ? odds : evens, i + 2);
      sum_and_gather(MPI_COMM_SELF, 1, i + 3);
      if (none != MPI_COMM_NULL) sum_and_gather(none, job_size - 1, i + 4);
    }
    /* two in flight on two communicators that share members */
    MPI_Request requests[2];
    int sums[2] = {0, 0}, one = 1;
    CHECK_MPI(MPI_Iallreduce(&one, &sums[0], 1, MPI_INT, MPI_SUM, halves, &requests[0]));
    CHECK_MPI(MPI_Iallreduce(&one, &sums[1], 1, MPI_INT, MPI_SUM, reversed, &requests[1]));
    CHECK_MPI(MPI_Wait(&requests[1 - turn % 2], MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Wait(&requests[turn % 2], MPI_STATUS_IGNORE));
    CHECK_EQUAL(sums[0], my_rank % 2 ? odds : evens);
    CHECK_EQUAL(sums[1], job_size);
    CHECK_MPI(MPI_Comm_free(&halves));
    CHECK_MPI(MPI_Comm_free(&reversed));
    CHECK_MPI(MPI_Comm_free(&copy));
    if (none != MPI_COMM_NULL) CHECK_MPI(MPI_Comm_free(&none));
  }
  return check_end();
}
