/* A tool's calls stand in front of the library's: the program defines some MPI_ calls itself and goes on through PMPI_. Each is
 * entered once for each call the program makes and never from inside the library, which has sends and collectives of its own to
 * make. */
#include "../check.h"

static int sends, receives, barriers, reductions;

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
  sends++;
  return PMPI_Send(buffer, count, type, peer, tag, comm);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status* status)
{
  receives++;
  return PMPI_Recv(buffer, count, type, peer, tag, comm, status);
}

int MPI_Barrier(MPI_Comm comm)
{
  barriers++;
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reductions++;
  return PMPI_Allreduce(sent, received, count, type, op, comm);
}

int main(int argc, char** argv)
{
  int value, sum = 0, next, previous, i;
  MPI_Comm copy;
  check_begin(&argc, &argv);
  sends = receives = barriers = reductions = 0; /* check_begin may use them, too */
  next = (my_rank + 1) % job_size;
  previous = (my_rank + job_size - 1) % job_size;
  for (i = 0; i < 10; i++) {
    value = 100 * my_rank + i;
    if (my_rank % 2 == 0) CHECK_MPI(MPI_Send(&value, 1, MPI_INT, job_size > 1 ? next : MPI_PROC_NULL, i, MPI_COMM_WORLD));
    value = -1;
    CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, job_size > 1 ? previous : MPI_PROC_NULL, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (job_size > 1) CHECK_EQUAL(value, 100 * previous + i);
    value = 100 * my_rank + i;
    if (my_rank % 2 == 1) CHECK_MPI(MPI_Send(&value, 1, MPI_INT, next, i, MPI_COMM_WORLD));
  }
  /* Calls which may send, wait and reduce inside */
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  CHECK_MPI(MPI_Bcast(&value, 1, MPI_INT, 0, copy));
  CHECK_MPI(MPI_Comm_free(&copy));
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  CHECK_MPI(MPI_Allreduce(&my_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK_EQUAL(sum, job_size * (job_size - 1) / 2);
  CHECK_MPI(MPI_Pcontrol(1));
  CHECK_EQUAL(sends, 10);
  CHECK_EQUAL(receives, 10);
  CHECK_EQUAL(barriers, 1);
  CHECK_EQUAL(reductions, 1);
  return check_end();
}
