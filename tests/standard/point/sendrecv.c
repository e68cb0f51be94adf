/* Sendrecv and Sendrecv_replace: around a ring, with oneself, with PROC_NULL on one side, with unlike types on the two
 * sides, and with a strided type replaced in place. */
#include "../check.h"

static void around_the_ring(int elements)
{
  int* sent = check_allocate((size_t)elements * sizeof(int));
  int* got = check_allocate((size_t)elements * sizeof(int));
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  MPI_Status status;
  int count = -1;
  for (int i = 0; i < elements; ++i) sent[i] = my_rank * 1000 + i;
  CHECK_MPI(MPI_Sendrecv(sent, elements, MPI_INT, to, 1, got, elements, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD,
                         &status));
  CHECK_STATUS(status, from, 1);
  CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
  CHECK_EQUAL(count, elements);
  for (int i = 0; i < elements; ++i) CHECK_EQUAL(got[i], from * 1000 + i);
  CHECK_MPI(MPI_Sendrecv_replace(sent, elements, MPI_INT, to, 2, from, 2, MPI_COMM_WORLD, &status));
  CHECK_STATUS(status, from, 2);
  for (int i = 0; i < elements; ++i) CHECK_EQUAL(sent[i], from * 1000 + i);
  free(sent);
  free(got);
}

static void one_side_is_nobody(void)
{
  int sent = my_rank, got = -1;
  MPI_Status status;
  const int up = my_rank + 1 < job_size ? my_rank + 1 : MPI_PROC_NULL;
  const int down = my_rank > 0 ? my_rank - 1 : MPI_PROC_NULL;
  CHECK_MPI(MPI_Sendrecv(&sent, 1, MPI_INT, up, 3, &got, 1, MPI_INT, down, 3, MPI_COMM_WORLD, &status));
  CHECK_EQUAL(got, my_rank - 1);
  if (down == MPI_PROC_NULL) CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG);
  CHECK_MPI(MPI_Sendrecv_replace(&sent, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
  CHECK_EQUAL(sent, my_rank);
}

static void unlike_types(void)
{
  int sent[30], got[10];
  MPI_Datatype third;
  CHECK_MPI(MPI_Type_vector(10, 1, 3, MPI_INT, &third));
  CHECK_MPI(MPI_Type_commit(&third));
  for (int i = 0; i < 30; ++i) sent[i] = i + my_rank;
  CHECK_MPI(MPI_Sendrecv(sent, 1, third, my_rank, 4, got, 10, MPI_INT, my_rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < 10; ++i) CHECK_EQUAL(got[i], 3 * i + my_rank);
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  CHECK_MPI(MPI_Sendrecv_replace(sent, 1, third, to, 5, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < 30; ++i) CHECK_EQUAL(sent[i], i + (i % 3 ? my_rank : from)); /* the gaps stay */
  CHECK_MPI(MPI_Type_free(&third));
}

int main(int argc, char** argv)
{
  static const int sizes[] = {0, 1, 1000, 20000, 500000};
  check_begin(&argc, &argv);
  for (int i = 0; i < 5; ++i) around_the_ring(sizes[i]);
  one_side_is_nobody();
  unlike_types();
  return check_end();
}
