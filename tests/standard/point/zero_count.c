/* Count 0 with a NULL buffer, and types of size 0, through every call; they match and order like any message (PP13). */
#include "../check.h"

static void both_sides(MPI_Comm comm, int to, int from)
{
  MPI_Request requests[5];
  MPI_Status statuses[5];
  MPI_Datatype nothing;
  int count = -1, value = -1;
  CHECK_MPI(MPI_Type_contiguous(0, MPI_INT, &nothing));
  CHECK_MPI(MPI_Type_commit(&nothing));
  for (int i = 0; i < 5; ++i) CHECK_MPI(MPI_Irecv(NULL, 0, i == 4 ? nothing : MPI_INT, from, i, comm, &requests[i]));
  CHECK_MPI(MPI_Send(NULL, 0, MPI_INT, to, 0, comm));
  MPI_Request request, start;
  CHECK_MPI(MPI_Isend(NULL, 0, MPI_CHAR, to, 1, comm, &request));
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Issend(NULL, 0, MPI_INT, to, 2, comm, &request));
  CHECK_MPI(MPI_Send_init(NULL, 0, MPI_INT, to, 3, comm, &start));
  CHECK_MPI(MPI_Start(&start));
  CHECK_MPI(MPI_Wait(&start, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Request_free(&start));
  CHECK_MPI(MPI_Send(NULL, 7, nothing, to, 4, comm));
  CHECK_MPI(MPI_Waitall(5, requests, statuses));
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < 5; ++i) {
    CHECK_STATUS(statuses[i], from, i);
    CHECK_MPI(MPI_Get_count(&statuses[i], MPI_INT, &count));
    CHECK_EQUAL(count, 0);
  }
  /* an empty message into a full buffer changes nothing */
  CHECK_MPI(MPI_Sendrecv(NULL, 0, MPI_INT, to, 5, &value, 1, MPI_INT, from, 5, comm, &statuses[0]));
  CHECK_EQUAL(value, -1);
  CHECK_MPI(MPI_Type_free(&nothing));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  both_sides(MPI_COMM_WORLD, (my_rank + 1) % job_size, (my_rank + job_size - 1) % job_size);
  both_sides(MPI_COMM_SELF, 0, 0);
  return check_end();
}
