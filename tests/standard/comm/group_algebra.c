/* Groups: union, intersection, difference, selections by ranks and ranges, comparison, translation, errors. */
#include "../check.h"

static void check_members(MPI_Group group, MPI_Group world, int n, const int want[])
{
  int size, there;
  CHECK_MPI(MPI_Group_size(group, &size));
  CHECK_EQUAL(size, n);
  for (int i = 0; i < n; ++i) {
    CHECK_MPI(MPI_Group_translate_ranks(group, 1, &i, world, &there));
    CHECK_EQUAL(there, want[i]);
  }
}

static void selections(MPI_Group world)
{
  MPI_Group reversed, back, odd, empty;
  int result, rank, range[1][3] = {{job_size - 1, 0, -1}}, none[1][3] = {{0, job_size - 1, 1}};
  CHECK_MPI(MPI_Group_range_incl(world, 1, range, &reversed));
  CHECK_MPI(MPI_Group_rank(reversed, &rank));
  CHECK_EQUAL(rank, job_size - 1 - my_rank);
  CHECK_MPI(MPI_Group_compare(world, reversed, &result));
  CHECK_EQUAL(result, job_size == 1 ? MPI_IDENT : MPI_SIMILAR);
  CHECK_MPI(MPI_Group_range_incl(reversed, 1, range, &back));
  CHECK_MPI(MPI_Group_compare(world, back, &result));
  CHECK_EQUAL(result, MPI_IDENT);
  CHECK_MPI(MPI_Group_range_excl(world, 1, none, &empty));
  CHECK_MPI(MPI_Group_compare(empty, MPI_GROUP_EMPTY, &result));
  CHECK_EQUAL(result, MPI_IDENT);
  CHECK_MPI(MPI_Group_rank(empty, &rank));
  CHECK_EQUAL(rank, MPI_UNDEFINED);
  CHECK_MPI(MPI_Group_excl(world, 1, &(int){0}, &odd));
  CHECK_MPI(MPI_Group_compare(world, odd, &result));
  CHECK_EQUAL(result, MPI_UNEQUAL);
  CHECK_MPI(MPI_Group_free(&reversed));
  CHECK_MPI(MPI_Group_free(&back));
  CHECK_MPI(MPI_Group_free(&odd));
  CHECK_MPI(MPI_Group_free(&empty));
  CHECK(odd == MPI_GROUP_NULL);
}

static void algebra(MPI_Group world)
{
  MPI_Group low, high, both, cut, left;
  const int a[] = {2, 0, 3}, b[] = {3, 1, 0};
  if (job_size < 4) return;
  CHECK_MPI(MPI_Group_incl(world, 3, a, &low));
  CHECK_MPI(MPI_Group_incl(world, 3, b, &high));
  CHECK_MPI(MPI_Group_union(low, high, &both));
  check_members(both, world, 4, (int[]){2, 0, 3, 1});
  CHECK_MPI(MPI_Group_intersection(low, high, &cut));
  check_members(cut, world, 2, (int[]){0, 3});
  CHECK_MPI(MPI_Group_difference(high, low, &left));
  check_members(left, world, 1, (int[]){1});
  CHECK_MPI(MPI_Group_free(&low));
  CHECK_MPI(MPI_Group_free(&high));
  CHECK_MPI(MPI_Group_free(&both));
  CHECK_MPI(MPI_Group_free(&cut));
  CHECK_MPI(MPI_Group_free(&left));
}

static void translation(MPI_Group world)
{
  MPI_Group last;
  int there[2], ranks[2] = {0, MPI_PROC_NULL}, top = job_size - 1;
  CHECK_MPI(MPI_Group_incl(world, 1, &top, &last));
  CHECK_MPI(MPI_Group_translate_ranks(world, 2, ranks, last, there));
  CHECK_EQUAL(there[0], job_size == 1 ? 0 : MPI_UNDEFINED);
  CHECK_EQUAL(there[1], MPI_PROC_NULL);
  CHECK_MPI(MPI_Group_translate_ranks(last, 1, ranks, world, there));
  CHECK_EQUAL(there[0], top);
  CHECK_MPI(MPI_Group_free(&last));
}

static void errors(MPI_Group world)
{
  MPI_Group made;
  int value, outside = job_size, range[1][3] = {{0, job_size, 1}};
  CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &value), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_incl(world, 1, &outside, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_translate_ranks(world, 1, &outside, world, &value), MPI_ERR_RANK);
  CHECK(MPI_Group_range_incl(world, 1, range, &made) != MPI_SUCCESS);
}

int main(int argc, char** argv)
{
  MPI_Group world;
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
  selections(world);
  algebra(world);
  translation(world);
  errors(world);
  CHECK_MPI(MPI_Group_free(&world));
  return check_end();
}
