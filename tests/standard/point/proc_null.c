/* PROC_NULL: every call returns at once; receives give (PROC_NULL, ANY_TAG, 0) and touch nothing (PP13). */
#include "../check.h"

static void check_null_status(const MPI_Status* status)
{
  int count = -1;
  CHECK_STATUS(*status, MPI_PROC_NULL, MPI_ANY_TAG);
  CHECK_MPI(MPI_Get_count(status, MPI_INT, &count));
  CHECK_EQUAL(count, 0);
}

int main(int argc, char** argv)
{
  int value = 5;
  MPI_Request requests[6];
  MPI_Status status, statuses[6];
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Bsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD)); /* needs no buffer */
  CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
  check_null_status(&status);
  CHECK_MPI(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]));
  CHECK_MPI(MPI_Issend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]));
  CHECK_MPI(MPI_Irsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]));
  CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[3]));
  CHECK_MPI(MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &requests[4]));
  CHECK_MPI(MPI_Ssend_init(&value, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &requests[5]));
  CHECK_MPI(MPI_Startall(2, &requests[4]));
  CHECK_MPI(MPI_Waitall(6, requests, statuses));
  check_null_status(&statuses[3]);
  check_null_status(&statuses[4]);
  CHECK_MPI(MPI_Request_free(&requests[4]));
  CHECK_MPI(MPI_Request_free(&requests[5]));
  CHECK_MPI(MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                         &status));
  check_null_status(&status);
  /* nothing to nobody needs no type */
  CHECK_MPI(MPI_Send(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 10, MPI_COMM_WORLD, &requests[0]));
  CHECK_MPI(MPI_Wait(&requests[0], &status));
  check_null_status(&status);
  CHECK_MPI(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 10, MPI_COMM_WORLD, &status));
  check_null_status(&status);
  CHECK_EQUAL(value, 5);
  return check_end();
}
