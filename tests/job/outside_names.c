/* The names of mpi.h from outside the standard's binary interface: conversions to Fortran's integers and calls removed from
 * MPI, as old programs use them. They are spelled in calls of the interface, so that the program asks for no others. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define CHECK(what) \
  do { if (!(what)) { fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what); MPI_Abort(MPI_COMM_WORLD, 1); } } while (0)

struct particle { int kind; double place[3]; };

static void conversions(void)
{
  MPI_Comm copy;
  MPI_Datatype pair;
  MPI_Status status, back;
  MPI_Fint number, fields[MPI_F_STATUS_SIZE];
  CHECK(MPI_Comm_c2f(MPI_COMM_WORLD) == 0x101 && MPI_Comm_f2c(0x101) == MPI_COMM_WORLD);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE && MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  number = MPI_Comm_c2f(copy);
  CHECK(number > 4095 || number < 0);
  CHECK(number == MPI_Comm_c2f(copy) && MPI_Comm_f2c(number) == copy);
  MPI_Comm_free(&copy);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(pair)) == pair);
  MPI_Type_free(&pair);
  memset(&status, 0x5a, sizeof status);
  status.MPI_SOURCE = 7;
  MPI_Status_c2f(&status, fields);
  CHECK(fields[MPI_F_SOURCE] == 7);
  MPI_Status_f2c(fields, &back);
  CHECK(memcmp(&status, &back, sizeof status) == 0);
}

static void removed_calls(int rank, int size)
{
  struct particle sent = {3, {1.5, 2.5, 3.5}}, received = {0, {0, 0, 0}};
  int lengths[2] = {1, 3};
  MPI_Aint places[2], start, extent, lower, upper;
  MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, type;
  MPI_Errhandler handler;
  MPI_Address(&sent, &start);
  MPI_Address(&sent.kind, &places[0]);
  MPI_Address(&sent.place, &places[1]);
  places[0] -= start;
  places[1] -= start;
  MPI_Type_struct(2, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  MPI_Type_extent(type, &extent);
  MPI_Type_lb(type, &lower);
  MPI_Type_ub(type, &upper);
  CHECK(extent == (MPI_Aint)sizeof sent && lower == 0 && upper == extent);
  MPI_Sendrecv(&sent, 1, type, (rank + 1) % size, 0, &received, 1, type, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(received.kind == 3 && received.place[2] == 3.5);
  MPI_Type_free(&type);
  MPI_Type_hvector(2, 1, 16, MPI_INT, &type);
  MPI_Type_extent(type, &extent);
  CHECK(extent == 20);
  MPI_Type_free(&type);
  MPI_Errhandler_get(MPI_COMM_WORLD, &handler);
  MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
  MPI_Errhandler_set(MPI_COMM_WORLD, handler);
}

int main(int argc, char** argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  conversions();
  removed_calls(rank, size);
  MPI_Finalize();
  return 0;
}
