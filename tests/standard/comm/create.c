/* Comm_create over disjoint groups at once; Comm_create_group with nobody but the members; errors; free with traffic left. */
#include "../check.h"

static MPI_Group group_of(int first, int stride)
{
  MPI_Group world, made;
  int range[1][3] = {{first, job_size - 1, stride}};
  CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
  CHECK_MPI(MPI_Group_range_incl(world, 1, range, &made));
  CHECK_MPI(MPI_Group_free(&world));
  return made;
}

static void ring(MPI_Comm comm)
{
  int rank, size, got = -1;
  CHECK_MPI(MPI_Comm_rank(comm, &rank));
  CHECK_MPI(MPI_Comm_size(comm, &size));
  CHECK_MPI(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT, (rank + size - 1) % size, 3, comm,
                         MPI_STATUS_IGNORE));
  CHECK_EQUAL(got, (rank + size - 1) % size);
}

static void disjoint(void)
{
  MPI_Group mine = group_of(my_rank % 2, 2);
  MPI_Comm made;
  CHECK_MPI(MPI_Comm_create(MPI_COMM_WORLD, mine, &made));
  ring(made);
  CHECK_MPI(MPI_Comm_free(&made));
  CHECK_MPI(MPI_Group_free(&mine));
}

static void outsiders(void)
{
  MPI_Group even = group_of(0, 2);
  MPI_Comm made;
  CHECK_MPI(MPI_Comm_create(MPI_COMM_WORLD, even, &made));
  CHECK_EQUAL(made == MPI_COMM_NULL, my_rank % 2);
  if (made != MPI_COMM_NULL) CHECK_MPI(MPI_Comm_free(&made));
  CHECK_MPI(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &made));
  CHECK(made == MPI_COMM_NULL);
  CHECK_MPI(MPI_Group_free(&even));
}

/* Odd ranks never call; the even ones create twice under one tag and twice under different tags. */
static void members_only(void)
{
  MPI_Group even = group_of(0, 2);
  MPI_Comm made[4];
  int result;
  if (my_rank % 2 == 0) {
    for (int i = 0; i < 4; ++i) CHECK_MPI(MPI_Comm_create_group(MPI_COMM_WORLD, even, i < 2 ? 9 : i, &made[i]));
    for (int i = 0; i < 4; ++i) ring(made[i]);
    CHECK_MPI(MPI_Comm_compare(made[0], made[3], &result));
    CHECK_EQUAL(result, MPI_CONGRUENT);
    for (int i = 0; i < 4; ++i) CHECK_MPI(MPI_Comm_free(&made[i]));
  }
  CHECK_MPI(MPI_Group_free(&even));
}

/* A communicator may be freed while messages on it are under way. */
static void freed_early(void)
{
  enum { count = 200000 };
  MPI_Comm comm;
  MPI_Request requests[2];
  int *out = check_allocate(count * sizeof *out), *in = check_allocate(count * sizeof *in);
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  pattern_fill(out, count * sizeof *out, my_rank);
  CHECK_MPI(MPI_Isend(out, count, MPI_INT, (my_rank + 1) % job_size, 1, comm, &requests[0]));
  CHECK_MPI(MPI_Irecv(in, count, MPI_INT, (my_rank + job_size - 1) % job_size, 1, comm, &requests[1]));
  CHECK_MPI(MPI_Comm_free(&comm));
  CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK_PATTERN(in, count * sizeof *in, (my_rank + job_size - 1) % job_size);
  free(out);
  free(in);
}

static void errors(void)
{
  MPI_Comm made, world = MPI_COMM_WORLD, none = MPI_COMM_NULL;
  MPI_Group all = group_of(0, 1);
  CHECK_CLASS(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &made), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Comm_dup(MPI_COMM_NULL, &made), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Comm_free(&none), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Comm_free(&world), MPI_ERR_COMM);
  CHECK_MPI(MPI_Group_free(&all));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  disjoint();
  outsiders();
  members_only();
  freed_early();
  errors();
  return check_end();
}
