/* A long random sequence of collectives, the same on every rank, with ranks running ahead of or behind each other: shows
 * whatever leaks from one operation into the next. Arguments: operations, seed. */
#include "forms.h"
#include <unistd.h>

static int reduced(int end_rank, int place)
{
  int sum = 0;
  for (int rank = 0; rank < end_rank; ++rank) sum += value_at(rank, place);
  return sum;
}

static void one(int kind, int count, int root, int salt)
{
  int* mine = values_of(my_rank, salt, count);
  int* all = untouched_ints(count * job_size);
  switch (kind) {
    case 0:
      CHECK_MPI(MPI_Bcast(mine, count, MPI_INT, root, MPI_COMM_WORLD));
      CHECK_VALUES(mine, root, salt, count);
      break;
    case 1:
      CHECK_MPI(MPI_Reduce(mine, all, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
      for (int i = 0; i < count && my_rank == root; ++i) CHECK_EQUAL(all[i], reduced(job_size, salt + i));
      break;
    case 2:
      CHECK_MPI(MPI_Allreduce(mine, all, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
      for (int i = 0; i < count; ++i) CHECK_EQUAL(all[i], reduced(job_size, salt + i));
      break;
    case 3:
      CHECK_MPI(MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD));
      for (int rank = 0; rank < job_size; ++rank) CHECK_VALUES(all + rank * count, rank, salt, count);
      break;
    case 4:
      CHECK_MPI(MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD));
      for (int rank = 0; rank < job_size && my_rank == root; ++rank) CHECK_VALUES(all + rank * count, rank, salt, count);
      break;
    case 5:
      CHECK_MPI(MPI_Scan(mine, all, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
      for (int i = 0; i < count; ++i) CHECK_EQUAL(all[i], reduced(my_rank + 1, salt + i));
      break;
    default: CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); break;
  }
  free(mine);
  free(all);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int operations = argc > 1 ? atoi(argv[1]) : 600;
  unsigned shared = argc > 2 ? (unsigned)atoi(argv[2]) : 1u, own = (unsigned)my_rank + 99u;
  for (int i = 0; i < operations; ++i) {
    const int kind = (int)(random_next(&shared) % 7), root = (int)(random_next(&shared) % (unsigned)job_size);
    const unsigned size = random_next(&shared) % 100;
    const int count = (int)(size < 60 ? size % 8 : size < 95 ? random_next(&shared) % 2000 : random_next(&shared) % 60000);
    if (random_next(&own) % 50 == 0) usleep(random_next(&own) % 500);
    one(kind, count, root, i);
  }
  return check_end();
}
