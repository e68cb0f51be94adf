/* Persistent collectives started many times with changed data, several at once, in each rank's own order of waiting. */
#include "forms.h"

#if MPI_VERSION >= 4
enum { rounds = 40, width = 300 };

int main(int argc, char** argv)
{
  MPI_Request requests[4];
  int mine[width], sum[width], sent[width], scan[width], done = 0;
  check_begin(&argc, &argv);
  int* all = untouched_ints(width * job_size);
  const int root = job_size - 1;
  CHECK_MPI(MPI_Allreduce_init(mine, sum, width, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  CHECK_MPI(MPI_Bcast_init(sent, width, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  CHECK_MPI(MPI_Allgather_init(mine, width, MPI_INT, all, width, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]));
  CHECK_MPI(MPI_Scan_init(mine, scan, width, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]));
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < width; ++i) {
      mine[i] = value_at(my_rank, round + i);
      sent[i] = my_rank == root ? value_at(root, 2 * round + i) : untouched;
    }
    if (round % 2) CHECK_MPI(MPI_Startall(4, requests));
    else
      for (int i = 0; i < 4; ++i) CHECK_MPI(MPI_Start(&requests[i]));
    if (round % 3 == 0)
      for (done = 0; !done;) CHECK_MPI(MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE));
    else
      for (int i = 0; i < 4; ++i) CHECK_MPI(MPI_Wait(&requests[(i + my_rank) % 4], MPI_STATUS_IGNORE));
    CHECK_VALUES(sent, root, 2 * round, width);
    for (int rank = 0; rank < job_size; ++rank) CHECK_VALUES(all + rank * width, rank, round, width);
    for (int i = 0; i < width; ++i) {
      int total = 0, most = value_at(0, round + i);
      for (int rank = 0; rank < job_size; ++rank) {
        const int value = value_at(rank, round + i);
        total += value;
        if (rank <= my_rank && value > most) most = value;
      }
      CHECK_EQUAL(sum[i], total);
      CHECK_EQUAL(scan[i], most);
    }
  }
  for (int i = 0; i < 4; ++i) {
    CHECK(requests[i] != MPI_REQUEST_NULL);
    CHECK_MPI(MPI_Request_free(&requests[i]));
  }
  free(all);
  return check_end();
}
#else
int main(void)
{
  return 0; /* persistent collectives came with MPI 4 */
}
#endif
