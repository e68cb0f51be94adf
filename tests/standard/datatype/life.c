/* Names, duplicates, types named by parameters, and use of a type in flight after its handle was freed. */
#include "../check.h"

static int copies = 0, deletions = 0;

static int copy(MPI_Datatype type, int keyval, void* extra, void* value, void* out, int* flag)
{
  (void)type, (void)keyval, (void)extra;
  ++copies;
  *(void**)out = value;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete(MPI_Datatype type, int keyval, void* value, void* extra)
{
  (void)type, (void)keyval, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

static void names(void)
{
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Datatype type, twin;
  CHECK_MPI(MPI_Type_get_name(MPI_DOUBLE_INT, name, &length));
  CHECK(strcmp(name, "MPI_DOUBLE_INT") == 0);
  CHECK_EQUAL(length, (int)strlen(name));
  CHECK_MPI(MPI_Type_contiguous(2, MPI_INT, &type));
  CHECK_MPI(MPI_Type_get_name(type, name, &length));
  CHECK_EQUAL(length, 0);
  CHECK_MPI(MPI_Type_set_name(type, "two numbers"));
  CHECK_MPI(MPI_Type_get_name(type, name, &length));
  CHECK(strcmp(name, "two numbers") == 0);
  CHECK_MPI(MPI_Type_dup(type, &twin));
  CHECK_MPI(MPI_Type_free(&type));
  CHECK_MPI(MPI_Type_commit(&twin));
  CHECK_MPI(MPI_Type_free(&twin));
}

static void attributes(void)
{
  MPI_Datatype type, twin;
  int keyval, flag = 0, value = 7;
  int* found = NULL;
  CHECK_MPI(MPI_Type_create_keyval(copy, delete, &keyval, NULL));
  CHECK_MPI(MPI_Type_contiguous(2, MPI_INT, &type));
  CHECK_MPI(MPI_Type_set_attr(type, keyval, &value));
  CHECK_MPI(MPI_Type_dup(type, &twin));
  CHECK_EQUAL(copies, 1);
  CHECK_MPI(MPI_Type_get_attr(twin, keyval, &found, &flag));
  CHECK(flag && found == &value);
  CHECK_MPI(MPI_Type_free(&type));
  CHECK_EQUAL(deletions, 1);
  CHECK_MPI(MPI_Type_free(&twin));
  CHECK_EQUAL(deletions, 2);
  CHECK_MPI(MPI_Type_free_keyval(&keyval));
}

static void parametrised(void)
{
  MPI_Datatype real, again, matched;
  int size, integers, addresses, types, combiner, parameters[2];
  double in[2] = {1, 2}, inout[2] = {3, 4};
  CHECK_MPI(MPI_Type_create_f90_real(12, MPI_UNDEFINED, &real));
  CHECK_MPI(MPI_Type_create_f90_real(12, MPI_UNDEFINED, &again));
  CHECK(real == again);
  CHECK_MPI(MPI_Type_size(real, &size));
  CHECK_EQUAL(size, 8);
  CHECK_MPI(MPI_Type_get_envelope(real, &integers, &addresses, &types, &combiner));
  CHECK_EQUAL(combiner, MPI_COMBINER_F90_REAL);
  CHECK_EQUAL(integers, 2);
  CHECK_MPI(MPI_Type_get_contents(real, 2, 0, 0, parameters, NULL, NULL));
  CHECK_EQUAL(parameters[0], 12);
  CHECK_MPI(MPI_Reduce_local(in, inout, 2, real, MPI_SUM));
  CHECK(inout[0] == 4 && inout[1] == 6);
  CHECK_MPI(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &matched));
  CHECK_MPI(MPI_Type_size(matched, &size));
  CHECK_EQUAL(size, 8);
}

/* Rank 0 frees the type right after it started to use it; the transfer keeps it. */
static void in_flight(void)
{
  enum { rows = 30000 };
  MPI_Datatype column;
  MPI_Request request;
  int* matrix = check_allocate(2 * rows * sizeof(int));
  for (int i = 0; i < 2 * rows; ++i) matrix[i] = my_rank == 0 ? i : -1;
  CHECK_MPI(MPI_Type_vector(rows, 1, 2, MPI_INT, &column));
  CHECK_MPI(MPI_Type_commit(&column));
  if (my_rank == 0) CHECK_MPI(MPI_Isend(matrix, 1, column, 1, 0, MPI_COMM_WORLD, &request));
  else CHECK_MPI(MPI_Irecv(matrix, 1, column, 0, 0, MPI_COMM_WORLD, &request));
  CHECK_MPI(MPI_Type_free(&column));
  for (int i = 0; i < 100; ++i) { /* new types may take the place of the old */
    CHECK_MPI(MPI_Type_contiguous(i + 1, MPI_INT, &column));
    CHECK_MPI(MPI_Type_commit(&column));
    CHECK_MPI(MPI_Type_free(&column));
  }
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < 2 * rows; ++i) CHECK_EQUAL(matrix[i], my_rank == 0 || i % 2 == 0 ? i : -1);
  free(matrix);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  names();
  attributes();
  parametrised();
  if (job_size > 1 && my_rank < 2) in_flight();
  return check_end();
}
