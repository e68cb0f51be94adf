/* With WEFT_CHECK=1 collectives that don't belong together end with an error on every rank, never in a hang or in wrong
 * data, and those that do still work afterwards. Run with two or more ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void expect(const char* what, int code, int right)
{
  if ((code == MPI_SUCCESS) == right) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, right ? "an error where all is right" : "no error");
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void works(void)
{
  int one = 1, sum = 0;
  expect("allreduce", MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 1);
  if (sum != size) expect("the sum", MPI_ERR_OTHER, 1);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type)
{
  int i;
  (void)type;
  for (i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv)
{
  static int in[4000], out[4000];
  int odd, last;
  MPI_Op own;
  MPI_Datatype pair;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op_create(add, 1, &own);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  odd = rank % 2;
  last = rank == size - 1;

  works();
  expect("100 against 2000 ints", MPI_Bcast(in, rank == 0 ? 2000 : 100, MPI_INT, 0, MPI_COMM_WORLD), 0);
  works();
  expect("two roots", MPI_Bcast(in, 10, MPI_INT, odd, MPI_COMM_WORLD), 0);
  works();
  expect("barrier and allreduce", last ? MPI_Barrier(MPI_COMM_WORLD) : MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 0);
  works();
  expect("two operations", MPI_Allreduce(in, out, 4, MPI_INT, odd ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD), 0);
  expect("own and predefined operation", MPI_Allreduce(in, out, 4, MPI_INT, odd ? MPI_SUM : own, MPI_COMM_WORLD), 0);
  expect("two types", MPI_Allreduce(in, out, 4, odd ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD), 0);
  expect("less given than taken", MPI_Allgather(in, last ? 1 : 2, MPI_INT, out, 2, MPI_INT, MPI_COMM_WORLD), 0);
  expect("two block sizes", MPI_Gather(in, last ? 3 : 2, MPI_INT, out, 2, MPI_INT, 0, MPI_COMM_WORLD), 0);
  works();
  expect("given as ints, taken as pairs", MPI_Alltoall(in, 2, MPI_INT, out, 1, pair, MPI_COMM_WORLD), 1);
  expect("the same bytes by two types", MPI_Bcast(in, odd ? 20 : 10, odd ? MPI_INT : pair, 0, MPI_COMM_WORLD), 1);
  MPI_Iallreduce(in, out, odd ? 3 : 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  expect("an immediate one", MPI_Wait(&request, MPI_STATUS_IGNORE), 0);
  works();
  MPI_Type_free(&pair);
  MPI_Op_free(&own);
  MPI_Finalize();
  return 0;
}
