/* Thousands of sends and receives in flight between all pairs at once, waited for in odd orders. */
#include "../check.h"

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int each = argc > 1 ? atoi(argv[1]) : 1000, total = each * job_size;
  MPI_Request* receives = check_allocate((size_t)total * sizeof(MPI_Request));
  MPI_Request* sends = check_allocate((size_t)total * sizeof(MPI_Request));
  int* got = check_allocate((size_t)total * sizeof(int));
  int* sent = check_allocate((size_t)total * sizeof(int));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < total; ++i)
      CHECK_MPI(MPI_Irecv(&got[i], 1, MPI_INT, i % job_size, i / job_size, MPI_COMM_WORLD, &receives[i]));
    for (int i = total - 1; i >= 0; --i) {
      sent[i] = my_rank * 1000000 + i / job_size;
      CHECK_MPI(MPI_Isend(&sent[i], 1, MPI_INT, i % job_size, i / job_size, MPI_COMM_WORLD, &sends[i]));
    }
    if (round == 0) CHECK_MPI(MPI_Waitall(total, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < total; ++i) CHECK_MPI(MPI_Wait(&receives[round == 1 ? total - 1 - i : i], MPI_STATUS_IGNORE));
    if (round != 0) CHECK_MPI(MPI_Waitall(total, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < total; ++i) CHECK_EQUAL(got[i], (i % job_size) * 1000000 + i / job_size);
  }
  free(receives);
  free(sends);
  free(got);
  free(sent);
  return check_end();
}
