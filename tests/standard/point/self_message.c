/* Messages to oneself of every size: receive first, send first, synchronous, probed, on WORLD and on SELF. */
#include "../check.h"

static void to_self(MPI_Comm comm, int me, int bytes)
{
  unsigned char* sent = check_allocate((size_t)bytes);
  unsigned char* got = check_allocate((size_t)bytes);
  MPI_Request requests[2];
  MPI_Status status;
  int count = -1;
  pattern_fill(sent, (size_t)bytes, 1);
  CHECK_MPI(MPI_Irecv(got, bytes, MPI_BYTE, me, 1, comm, &requests[0]));
  CHECK_MPI(MPI_Send(sent, bytes, MPI_BYTE, me, 1, comm));
  CHECK_MPI(MPI_Wait(&requests[0], &status));
  CHECK_STATUS(status, me, 1);
  CHECK_PATTERN(got, (size_t)bytes, 1);

  memset(got, 0, (size_t)bytes);
  CHECK_MPI(MPI_Isend(sent, bytes, MPI_BYTE, me, 2, comm, &requests[0]));
  CHECK_MPI(MPI_Issend(sent, bytes, MPI_BYTE, me, 3, comm, &requests[1]));
  CHECK_MPI(MPI_Probe(MPI_ANY_SOURCE, 3, comm, &status));
  CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &count));
  CHECK_EQUAL(count, bytes);
  CHECK_MPI(MPI_Recv(got, bytes, MPI_BYTE, me, 3, comm, MPI_STATUS_IGNORE));
  CHECK_PATTERN(got, (size_t)bytes, 1);
  memset(got, 0, (size_t)bytes);
  CHECK_MPI(MPI_Recv(got, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
  CHECK_STATUS(status, me, 2);
  CHECK_PATTERN(got, (size_t)bytes, 1);
  CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  free(sent);
  free(got);
}

int main(int argc, char** argv)
{
  static const int sizes[] = {0, 1, 8, 300, 4096, 20000, 100000, 4000000};
  check_begin(&argc, &argv);
  for (int i = 0; i < 8; ++i) {
    to_self(MPI_COMM_WORLD, my_rank, sizes[i]);
    to_self(MPI_COMM_SELF, 0, sizes[i]);
  }
  return check_end();
}
