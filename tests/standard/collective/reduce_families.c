/* Reduce, allreduce, scan, exscan, reduce_scatter and reduce_scatter_block of ints by sum and max: every form, root and
 * count, in place and not, against sums computed by hand; the send buffer is left alone (CO03). */
#include "forms.h"

static int reduced(MPI_Op op, int first_rank, int end_rank, int place)
{
  int result = value_at(first_rank, place);
  for (int rank = first_rank + 1; rank < end_rank; ++rank) {
    const int value = value_at(rank, place);
    if (op == MPI_SUM) result += value;
    else if (value > result) result = value;
  }
  return result;
}

static void check_reduced(const int* got, MPI_Op op, int end_rank, int first, int count)
{
  for (int i = 0; i < count; ++i) CHECK_EQUAL(got[i], reduced(op, 0, end_rank, first + i));
}

static void reduce(int form, MPI_Op op, int count, int root, int in_place)
{
  int* mine = values_of(my_rank, 0, count);
  int* result = in_place ? values_of(my_rank, 0, count) : untouched_ints(count);
  if (my_rank == root) COLLECTIVE(form, Reduce, Ireduce, in_place ? MPI_IN_PLACE : mine, result, count, MPI_INT, op, root, MPI_COMM_WORLD);
  else COLLECTIVE(form, Reduce, Ireduce, mine, NULL, count, MPI_INT, op, root, MPI_COMM_WORLD);
  CHECK_VALUES(mine, my_rank, 0, count);
  if (my_rank == root) check_reduced(result, op, job_size, 0, count);
  free(mine);
  free(result);
}

static void everywhere(int form, MPI_Op op, int count, int in_place)
{
  int* mine = values_of(my_rank, 0, count);
  const void* from = in_place ? MPI_IN_PLACE : mine;
  int* result = in_place ? values_of(my_rank, 0, count) : untouched_ints(count);
  COLLECTIVE(form, Allreduce, Iallreduce, from, result, count, MPI_INT, op, MPI_COMM_WORLD);
  check_reduced(result, op, job_size, 0, count);
  if (in_place) memcpy(result, mine, (size_t)count * sizeof(int));
  COLLECTIVE(form, Scan, Iscan, from, result, count, MPI_INT, op, MPI_COMM_WORLD);
  check_reduced(result, op, my_rank + 1, 0, count);
  if (in_place) memcpy(result, mine, (size_t)count * sizeof(int));
  else for (int i = 0; i < count; ++i) result[i] = untouched;
  COLLECTIVE(form, Exscan, Iexscan, from, result, count, MPI_INT, op, MPI_COMM_WORLD);
  if (my_rank > 0) check_reduced(result, op, my_rank, 0, count);
  CHECK_VALUES(mine, my_rank, 0, count);
  free(mine);
  free(result);
}

/* Equal blocks, then blocks of unlike lengths with some empty. */
static void scattered(int form, MPI_Op op, int count, int in_place)
{
  int* counts = check_allocate((size_t)job_size * sizeof(int));
  int total = 0, first = 0;
  for (int rank = 0; rank < job_size; ++rank) {
    if (rank == my_rank) first = total;
    counts[rank] = rank % 3 == 1 ? 0 : count + rank;
    total += counts[rank];
  }
  const int equal_total = count * job_size, most = total > equal_total ? total : equal_total;
  int* mine = values_of(my_rank, 0, most);
  int* result = in_place ? values_of(my_rank, 0, most) : untouched_ints(most + 1);
  const void* from = in_place ? MPI_IN_PLACE : mine;
  COLLECTIVE(form, Reduce_scatter_block, Ireduce_scatter_block, from, result, count, MPI_INT, op, MPI_COMM_WORLD);
  check_reduced(result, op, job_size, my_rank * count, count);
  if (!in_place) CHECK_EQUAL(result[count], untouched);
  if (in_place) memcpy(result, mine, (size_t)most * sizeof(int));
  COLLECTIVE(form, Reduce_scatter, Ireduce_scatter, from, result, counts, MPI_INT, op, MPI_COMM_WORLD);
  check_reduced(result, op, job_size, first, counts[my_rank]);
  CHECK_VALUES(mine, my_rank, 0, most);
  free(counts);
  free(mine);
  free(result);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  for (int form = 0; form < form_count; ++form)
    for (int in_place = 0; in_place < 2; ++in_place)
      for (int k = 0; k < counts_tested(); ++k) {
        const MPI_Op op = k % 2 ? MPI_SUM : MPI_MAX;
        for (int root = 0; root < job_size; ++root)
          if (root_tested(root, counts_to_test[k])) reduce(form, op, counts_to_test[k], root, in_place);
        everywhere(form, op, counts_to_test[k], in_place);
        scattered(form, op, counts_to_test[k] > 100000 ? 100000 : counts_to_test[k], in_place);
      }
  return check_end();
}
