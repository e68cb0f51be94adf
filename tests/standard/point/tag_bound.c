/* MPI_TAG_UB is at least 2^23 - 1; a tag at the bound works, one above it and a negative one give MPI_ERR_TAG (PP13). */
#include "../check.h"
#include <limits.h>

int main(int argc, char** argv)
{
  int *bound = NULL, found = 0, got = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Comm copy;
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found));
  CHECK(found);
  CHECK(*bound >= (1 << 23) - 1);
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  const int tags[] = {0, 1, 32767, 65536, (1 << 23) - 1, *bound - 1, *bound};
  for (int i = 0; i < 7; ++i) {
    CHECK_MPI(MPI_Sendrecv(&i, 1, MPI_INT, to, tags[i], &got, 1, MPI_INT, from, tags[i], MPI_COMM_WORLD, &status));
    CHECK_STATUS(status, from, tags[i]);
    CHECK_EQUAL(got, i);
  }
  if (*bound < INT_MAX) {
    CHECK_CLASS(MPI_Send(&got, 1, MPI_INT, to, *bound + 1, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Irecv(&got, 1, MPI_INT, from, *bound + 1, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
  }
  CHECK_CLASS(MPI_Send(&got, 1, MPI_INT, to, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Send(&got, 1, MPI_INT, to, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Isend(&got, 1, MPI_INT, to, -5, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  int* copied = NULL;
  CHECK_MPI(MPI_Comm_get_attr(copy, MPI_TAG_UB, &copied, &found));
  CHECK(found && *copied == *bound);
  CHECK_MPI(MPI_Comm_free(&copy));
  return check_end();
}
