/* Broadcast: every form, root and count, plain and with a strided type; nothing is written past the count. */
#include "forms.h"

static void plain(int form, int count, int root)
{
  int* data = my_rank == root ? values_of(root, 0, count + 1) : untouched_ints(count + 1);
  COLLECTIVE(form, Bcast, Ibcast, data, count, MPI_INT, root, MPI_COMM_WORLD);
  CHECK_VALUES(data, root, 0, count);
  if (my_rank != root) CHECK_EQUAL(data[count], untouched);
  free(data);
}

/* The root sends every second int; the others receive them packed. */
static void strided_at_root(int form, int count, int root)
{
  int* data = my_rank == root ? values_of(root, 0, 2 * count + 1) : untouched_ints(count + 1);
  MPI_Datatype every_second;
  CHECK_MPI(MPI_Type_vector(count, 1, 2, MPI_INT, &every_second));
  CHECK_MPI(MPI_Type_commit(&every_second));
  if (my_rank == root) COLLECTIVE(form, Bcast, Ibcast, data, 1, every_second, root, MPI_COMM_WORLD);
  else COLLECTIVE(form, Bcast, Ibcast, data, count, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < count && my_rank != root; ++i) CHECK_EQUAL(data[i], value_at(root, 2 * i));
  CHECK_MPI(MPI_Type_free(&every_second));
  free(data);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  for (int form = 0; form < form_count; ++form)
    for (int root = 0; root < job_size; ++root)
      for (int k = 0; k < counts_tested(); ++k) {
        if (!root_tested(root, counts_to_test[k])) continue;
        plain(form, counts_to_test[k], root);
        strided_at_root(form, counts_to_test[k], root);
      }
  return check_end();
}
