/* One mistake, named by the argument and made by the last rank; with the default error handler it must end the job. All
 * other ranks wait in a receive. Run by fatal_errors.py, which judges the message. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int value, key = 0x7777777;
static MPI_Comm comm = MPI_COMM_WORLD, none = MPI_COMM_NULL;
static MPI_Request request = MPI_REQUEST_NULL;

static void freed_communicator(void)
{
  MPI_Comm copy, stale;
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  stale = copy;
  MPI_Comm_free(&copy);
  MPI_Comm_size(stale, &value);
}

static void freed_request(void)
{
  MPI_Request stale;
  MPI_Recv_init(&value, 1, MPI_INT, 0, 5, comm, &request);
  stale = request;
  MPI_Request_free(&request);
  MPI_Start(&stale);
}

static void truncated(void)
{
  int two[2] = {1, 2};
  MPI_Isend(two, 2, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
  MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void group_rank(void)
{
  MPI_Group all, one;
  int ranks[2] = {0, 99};
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 2, ranks, &one);
}

static void make(const char* mistake, int rank, int size)
{
  MPI_Comm_set_name(MPI_COMM_SELF, "self of the test");
  if (!strcmp(mistake, "rank")) MPI_Send(&value, 1, MPI_INT, size, 5, comm);
  if (!strcmp(mistake, "source")) MPI_Recv(&value, 1, MPI_INT, -77, 5, comm, MPI_STATUS_IGNORE);
  if (!strcmp(mistake, "tag")) MPI_Send(&value, 1, MPI_INT, rank, -5, comm);
  if (!strcmp(mistake, "count")) MPI_Send(&value, -1, MPI_INT, rank, 5, comm);
  if (!strcmp(mistake, "null_communicator")) MPI_Comm_rank(none, &rank);
  if (!strcmp(mistake, "freed_communicator")) freed_communicator();
  if (!strcmp(mistake, "freed_request")) freed_request();
  if (!strcmp(mistake, "datatype")) MPI_Send(&value, 1, MPI_DATATYPE_NULL, rank, 5, comm);
  if (!strcmp(mistake, "root")) MPI_Bcast(&value, 1, MPI_INT, size + 3, comm);
  if (!strcmp(mistake, "operation")) MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_OP_NULL, comm);
  if (!strcmp(mistake, "truncated")) truncated();
  if (!strcmp(mistake, "keyval")) MPI_Comm_set_attr(comm, key, &value);
  if (!strcmp(mistake, "color")) MPI_Comm_split(comm, -9, 0, &none);
  if (!strcmp(mistake, "group_rank")) group_rank();
  if (!strcmp(mistake, "second_init")) MPI_Init(NULL, NULL);
  if (!strcmp(mistake, "raised")) MPI_Comm_call_errhandler(comm, MPI_ERR_IO);
  if (!strcmp(mistake, "abort")) MPI_Abort(comm, 42);
}

int main(int argc, char** argv)
{
  const char* mistake = argc > 1 ? argv[1] : "";
  int rank, size;
  if (!strcmp(mistake, "before_init")) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != size - 1 && strcmp(mistake, "after_finalize")) MPI_Recv(&value, 1, MPI_INT, size - 1, 5, comm, MPI_STATUS_IGNORE);
  printf("before the mistake");          /* no newline: stays in the buffer */
  make(mistake, rank, size);
  printf("the call came back");
  MPI_Finalize();
  if (!strcmp(mistake, "after_finalize")) MPI_Comm_rank(comm, &rank);
  return 0;
}
