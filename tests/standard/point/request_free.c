/* A freed active request goes on: freed sends of every size arrive, freed receives get their data, Finalize ends. */
#include "../check.h"

int main(int argc, char** argv)
{
  static const int sizes[] = {1, 4000, 60000, 2000000};
  char *sent[4], *got = NULL;
  check_begin(&argc, &argv);
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  for (int i = 0; i < 4; ++i) {
    MPI_Request request;
    sent[i] = check_allocate((size_t)sizes[i]);
    pattern_fill(sent[i], (size_t)sizes[i], i + my_rank);
    CHECK_MPI(MPI_Isend(sent[i], sizes[i], MPI_BYTE, to, i, MPI_COMM_WORLD, &request));
    CHECK_MPI(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
  }
  got = check_allocate(2000000);
  for (int i = 3; i >= 0; --i) {
    CHECK_MPI(MPI_Recv(got, sizes[i], MPI_BYTE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_PATTERN(got, (size_t)sizes[i], i + from);
  }
  /* a freed receive: a later message of the same sender proves that it has arrived */
  MPI_Request request;
  int early = -1, late = -1;
  CHECK_MPI(MPI_Irecv(&early, 1, MPI_INT, from, 9, MPI_COMM_WORLD, &request));
  CHECK_MPI(MPI_Request_free(&request));
  CHECK_MPI(MPI_Send(&my_rank, 1, MPI_INT, to, 9, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Sendrecv(&my_rank, 1, MPI_INT, to, 9, &late, 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_EQUAL(early, from);
  /* a send freed right before the end must not hold Finalize up, nor be lost */
  if (my_rank == 0) {
    CHECK_MPI(MPI_Isend(&my_rank, 1, MPI_INT, to, 10, MPI_COMM_WORLD, &request));
    CHECK_MPI(MPI_Request_free(&request));
  }
  if (my_rank == 1 % job_size) CHECK_MPI(MPI_Recv(&late, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < 4; ++i) free(sent[i]);
  free(got);
  return check_end();
}
