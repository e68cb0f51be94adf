/* Gather, gatherv, scatter, scatterv: every form, root and count, in place at the root, unlike block lengths with gaps
 * and empty blocks, and a strided type on one side. Arguments that only the root reads are NULL elsewhere. */
#include "forms.h"

static int length_of(int rank, int count)
{
  return rank % 3 == 1 ? 0 : count + rank;
}

/* Blocks of the v forms lie in falling order of rank with a gap of two after each. */
static int layout(int count, int* lengths, int* places)
{
  int end = 0;
  for (int rank = job_size - 1; rank >= 0; --rank) {
    lengths[rank] = length_of(rank, count);
    places[rank] = end;
    end += lengths[rank] + 2;
  }
  return end;
}

static void gather(int form, int count, int root, int in_place)
{
  int* mine = values_of(my_rank, 0, count);
  int* all = my_rank == root ? untouched_ints(count * job_size + 1) : NULL;
  if (my_rank != root) {
    COLLECTIVE(form, Gather, Igather, mine, count, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
  } else if (in_place) {
    memcpy(all + root * count, mine, (size_t)count * sizeof(int));
    COLLECTIVE(form, Gather, Igather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, root, MPI_COMM_WORLD);
  } else {
    COLLECTIVE(form, Gather, Igather, mine, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD);
  }
  if (my_rank == root) {
    for (int rank = 0; rank < job_size; ++rank) CHECK_VALUES(all + rank * count, rank, 0, count);
    CHECK_EQUAL(all[count * job_size], untouched);
  }
  free(mine);
  free(all);
}

static void scatter(int form, int count, int root, int in_place)
{
  int* all = my_rank == root ? values_of(root, 0, count * job_size) : NULL;
  int* mine = untouched_ints(count + 1);
  if (my_rank != root) {
    COLLECTIVE(form, Scatter, Iscatter, NULL, 0, MPI_DATATYPE_NULL, mine, count, MPI_INT, root, MPI_COMM_WORLD);
  } else if (in_place) {
    COLLECTIVE(form, Scatter, Iscatter, all, count, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
  } else {
    COLLECTIVE(form, Scatter, Iscatter, all, count, MPI_INT, mine, count, MPI_INT, root, MPI_COMM_WORLD);
  }
  if (my_rank != root || !in_place) CHECK_VALUES(mine, root, my_rank * count, count);
  CHECK_EQUAL(mine[count], untouched);
  free(mine);
  free(all);
}

static void gatherv(int form, int count, int root, int in_place)
{
  int* lengths = check_allocate((size_t)job_size * sizeof(int));
  int* places = check_allocate((size_t)job_size * sizeof(int));
  const int total = layout(count, lengths, places), length = lengths[my_rank];
  int* mine = values_of(my_rank, 0, length);
  int* all = my_rank == root ? untouched_ints(total) : NULL;
  if (my_rank != root) {
    COLLECTIVE(form, Gatherv, Igatherv, mine, length, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
  } else if (in_place) {
    memcpy(all + places[root], mine, (size_t)length * sizeof(int));
    COLLECTIVE(form, Gatherv, Igatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, lengths, places, MPI_INT, root, MPI_COMM_WORLD);
  } else {
    COLLECTIVE(form, Gatherv, Igatherv, mine, length, MPI_INT, all, lengths, places, MPI_INT, root, MPI_COMM_WORLD);
  }
  if (my_rank == root)
    for (int rank = 0; rank < job_size; ++rank) {
      CHECK_VALUES(all + places[rank], rank, 0, lengths[rank]);
      CHECK_EQUAL(all[places[rank] + lengths[rank]], untouched); /* the gap */
    }
  free(lengths);
  free(places);
  free(mine);
  free(all);
}

static void scatterv(int form, int count, int root, int in_place)
{
  int* lengths = check_allocate((size_t)job_size * sizeof(int));
  int* places = check_allocate((size_t)job_size * sizeof(int));
  const int total = layout(count, lengths, places), length = lengths[my_rank];
  int* all = my_rank == root ? values_of(root, 0, total) : NULL;
  int* mine = untouched_ints(length + 1);
  if (my_rank != root) {
    COLLECTIVE(form, Scatterv, Iscatterv, NULL, NULL, NULL, MPI_DATATYPE_NULL, mine, length, MPI_INT, root, MPI_COMM_WORLD);
  } else if (in_place) {
    COLLECTIVE(form, Scatterv, Iscatterv, all, lengths, places, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
  } else {
    COLLECTIVE(form, Scatterv, Iscatterv, all, lengths, places, MPI_INT, mine, length, MPI_INT, root, MPI_COMM_WORLD);
  }
  if (my_rank != root || !in_place) CHECK_VALUES(mine, root, places[my_rank], length);
  CHECK_EQUAL(mine[length], untouched);
  free(lengths);
  free(places);
  free(mine);
  free(all);
}

/* Each rank's row becomes a column of the root's matrix, and back: the receive type's extent is one int. */
static void columns(int form, int count, int root)
{
  int* mine = values_of(my_rank, 0, count);
  int* matrix = my_rank == root ? untouched_ints(count * job_size) : NULL;
  MPI_Datatype raw, column;
  CHECK_MPI(MPI_Type_vector(count, 1, job_size, MPI_INT, &raw));
  CHECK_MPI(MPI_Type_create_resized(raw, 0, sizeof(int), &column));
  CHECK_MPI(MPI_Type_commit(&column));
  COLLECTIVE(form, Gather, Igather, mine, count, MPI_INT, matrix, 1, column, root, MPI_COMM_WORLD);
  for (int i = 0; i < count * job_size && my_rank == root; ++i)
    CHECK_EQUAL(matrix[i], value_at(i % job_size, i / job_size));
  memset(mine, 0, (size_t)count * sizeof(int));
  COLLECTIVE(form, Scatter, Iscatter, matrix, 1, column, mine, count, MPI_INT, root, MPI_COMM_WORLD);
  CHECK_VALUES(mine, my_rank, 0, count);
  CHECK_MPI(MPI_Type_free(&column));
  CHECK_MPI(MPI_Type_free(&raw));
  free(mine);
  free(matrix);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  for (int form = 0; form < form_count; ++form)
    for (int root = 0; root < job_size; ++root)
      for (int k = 0; k < counts_tested(); ++k) {
        if (!root_tested(root, counts_to_test[k])) continue;
        for (int in_place = 0; in_place < 2; ++in_place) {
          gather(form, counts_to_test[k], root, in_place);
          scatter(form, counts_to_test[k], root, in_place);
          gatherv(form, counts_to_test[k], root, in_place);
          scatterv(form, counts_to_test[k], root, in_place);
        }
        columns(form, counts_to_test[k], root);
      }
  return check_end();
}
