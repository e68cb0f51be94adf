/* Split orders by key, then by old rank; takes MPI_UNDEFINED; the parts talk among themselves. */
#include "../check.h"

static int world_rank_of(MPI_Comm comm, int rank)
{
  MPI_Group group, world;
  int there;
  CHECK_MPI(MPI_Comm_group(comm, &group));
  CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
  CHECK_MPI(MPI_Group_translate_ranks(group, 1, &rank, world, &there));
  CHECK_MPI(MPI_Group_free(&group));
  CHECK_MPI(MPI_Group_free(&world));
  return there;
}

/* Everyone sends its world rank around the ring of the part. */
static void ring(MPI_Comm comm)
{
  int rank, size, got = -1;
  CHECK_MPI(MPI_Comm_rank(comm, &rank));
  CHECK_MPI(MPI_Comm_size(comm, &size));
  CHECK_MPI(MPI_Sendrecv(&my_rank, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT, (rank + size - 1) % size, 3, comm,
                         MPI_STATUS_IGNORE));
  CHECK_EQUAL(got, world_rank_of(comm, (rank + size - 1) % size));
}

static void reversed_parity(void)
{
  MPI_Comm part;
  int rank, size, members = (job_size + 1 - my_rank % 2) / 2;
  CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, -my_rank, &part));
  CHECK_MPI(MPI_Comm_size(part, &size));
  CHECK_MPI(MPI_Comm_rank(part, &rank));
  CHECK_EQUAL(size, members);
  CHECK_EQUAL(world_rank_of(part, rank), my_rank);
  CHECK_EQUAL(rank, members - 1 - my_rank / 2);
  ring(part);
  CHECK_MPI(MPI_Comm_free(&part));
}

static void ties_keep_the_old_order(void)
{
  MPI_Comm all;
  int rank;
  CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, 2147483647, 7, &all));
  CHECK_MPI(MPI_Comm_rank(all, &rank));
  CHECK_EQUAL(rank, my_rank);
  ring(all);
  CHECK_MPI(MPI_Comm_free(&all));
}

static void undefined_gets_none(void)
{
  MPI_Comm part;
  CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, my_rank == 0 ? MPI_UNDEFINED : 0, 0, &part));
  CHECK_EQUAL(part == MPI_COMM_NULL, my_rank == 0);
  if (part == MPI_COMM_NULL) return;
  ring(part);
  CHECK_MPI(MPI_Comm_free(&part));
}

/* Halving down to single ranks, each level from the last. */
static void halving(void)
{
  MPI_Comm comm, half;
  int rank, size;
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  for (CHECK_MPI(MPI_Comm_size(comm, &size)); size > 1; CHECK_MPI(MPI_Comm_size(comm, &size))) {
    CHECK_MPI(MPI_Comm_rank(comm, &rank));
    CHECK_MPI(MPI_Comm_split(comm, rank < size / 2, 0, &half));
    CHECK_MPI(MPI_Comm_free(&comm));
    comm = half;
    ring(comm);
  }
  CHECK_MPI(MPI_Comm_free(&comm));
}

static void by_type(void)
{
  MPI_Comm node, none;
  int size;
  CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  CHECK(node != MPI_COMM_NULL);
  CHECK_MPI(MPI_Comm_size(node, &size));
  CHECK(size >= 1 && size <= job_size);
  ring(node);
  CHECK_MPI(MPI_Comm_free(&node));
  CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &none));
  CHECK(none == MPI_COMM_NULL);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  reversed_parity();
  ties_keep_the_old_order();
  undefined_gets_none();
  halving();
  by_type();
  return check_end();
}
