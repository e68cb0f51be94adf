/* Every constructor gives back its arguments by envelope and contents, and types rebuilt from them are alike. */
#include "../check.h"

static int integers[64];
static MPI_Aint addresses[16];
static MPI_Datatype types[16];

static void check_envelope(MPI_Datatype type, int combiner, int num_integers, int num_addresses, int num_types)
{
  int got_integers = -1, got_addresses = -1, got_types = -1, got_combiner = -1;
  CHECK_MPI(MPI_Type_get_envelope(type, &got_integers, &got_addresses, &got_types, &got_combiner));
  CHECK_EQUAL(got_combiner, combiner);
  CHECK_EQUAL(got_integers, num_integers);
  CHECK_EQUAL(got_addresses, num_addresses);
  CHECK_EQUAL(got_types, num_types);
  if (combiner != MPI_COMBINER_NAMED)
    CHECK_MPI(MPI_Type_get_contents(type, num_integers, num_addresses, num_types, integers, addresses, types));
}

static void check_integers(const int* want, int count)
{
  for (int i = 0; i < count; ++i) CHECK_EQUAL(integers[i], want[i]);
}

static void simple(void)
{
  MPI_Datatype type;
  check_envelope(MPI_INT, MPI_COMBINER_NAMED, 0, 0, 0);

  CHECK_MPI(MPI_Type_contiguous(5, MPI_DOUBLE, &type));
  check_envelope(type, MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
  CHECK_EQUAL(integers[0], 5);
  CHECK(types[0] == MPI_DOUBLE);
  CHECK_MPI(MPI_Type_free(&type));

  CHECK_MPI(MPI_Type_vector(3, 2, -4, MPI_INT, &type));
  check_envelope(type, MPI_COMBINER_VECTOR, 3, 0, 1);
  check_integers((int[]){3, 2, -4}, 3);
  CHECK_MPI(MPI_Type_free(&type));

  CHECK_MPI(MPI_Type_create_hvector(3, 2, 100, MPI_INT, &type));
  check_envelope(type, MPI_COMBINER_HVECTOR, 2, 1, 1);
  check_integers((int[]){3, 2}, 2);
  CHECK_EQUAL(addresses[0], 100);
  CHECK_MPI(MPI_Type_free(&type));

  CHECK_MPI(MPI_Type_create_resized(MPI_INT, -4, 16, &type));
  check_envelope(type, MPI_COMBINER_RESIZED, 0, 2, 1);
  CHECK_EQUAL(addresses[0], -4);
  CHECK_EQUAL(addresses[1], 16);
  CHECK_MPI(MPI_Type_free(&type));

  CHECK_MPI(MPI_Type_dup(MPI_INT, &type));
  check_envelope(type, MPI_COMBINER_DUP, 0, 0, 1);
  CHECK(types[0] == MPI_INT);
  CHECK_MPI(MPI_Type_free(&type));
}

static void indexed(void)
{
  MPI_Datatype type;
  const int lengths[3] = {1, 0, 2}, places[3] = {5, 1, -3};
  const MPI_Aint bytes[3] = {40, 8, -24};
  CHECK_MPI(MPI_Type_indexed(3, lengths, places, MPI_INT, &type));
  check_envelope(type, MPI_COMBINER_INDEXED, 7, 0, 1);
  check_integers((int[]){3, 1, 0, 2, 5, 1, -3}, 7);
  CHECK_MPI(MPI_Type_free(&type));

  CHECK_MPI(MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &type));
  check_envelope(type, MPI_COMBINER_HINDEXED, 4, 3, 1);
  check_integers((int[]){3, 1, 0, 2}, 4);
  CHECK_EQUAL(addresses[2], -24);
  CHECK_MPI(MPI_Type_free(&type));

  CHECK_MPI(MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type));
  check_envelope(type, MPI_COMBINER_INDEXED_BLOCK, 5, 0, 1);
  check_integers((int[]){3, 2, 5, 1, -3}, 5);
  CHECK_MPI(MPI_Type_free(&type));

  CHECK_MPI(MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &type));
  check_envelope(type, MPI_COMBINER_HINDEXED_BLOCK, 2, 3, 1);
  check_integers((int[]){3, 2}, 2);
  CHECK_EQUAL(addresses[0], 40);
  CHECK_MPI(MPI_Type_free(&type));
}

static void arrays(void)
{
  MPI_Datatype type;
  const int sizes[2] = {6, 8}, subsizes[2] = {2, 3}, starts[2] = {1, 4};
  const int kinds[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[2] = {2, 3};
  CHECK_MPI(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_FLOAT, &type));
  check_envelope(type, MPI_COMBINER_SUBARRAY, 8, 0, 1);
  check_integers((int[]){2, 6, 8, 2, 3, 1, 4, MPI_ORDER_FORTRAN}, 8);
  CHECK_MPI(MPI_Type_free(&type));

  CHECK_MPI(MPI_Type_create_darray(6, 4, 2, sizes, kinds, arguments, grid, MPI_ORDER_C, MPI_FLOAT, &type));
  check_envelope(type, MPI_COMBINER_DARRAY, 12, 0, 1);
  check_integers((int[]){6, 4, 2, 6, 8, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 3, MPI_ORDER_C}, 12);
  CHECK_MPI(MPI_Type_free(&type));
}

/* The inner types of a struct come back as handles of their own: they live after the original handles are gone. */
static void structures(void)
{
  MPI_Datatype inner, type, again;
  const int lengths[2] = {1, 3};
  const MPI_Aint places[2] = {0, 16};
  MPI_Aint lower, extent, lower_again, extent_again;
  int size, size_again;
  CHECK_MPI(MPI_Type_vector(2, 1, 2, MPI_INT, &inner));
  CHECK_MPI(MPI_Type_create_struct(2, lengths, places, (MPI_Datatype[]){MPI_DOUBLE, inner}, &type));
  CHECK_MPI(MPI_Type_free(&inner));
  CHECK(inner == MPI_DATATYPE_NULL);
  check_envelope(type, MPI_COMBINER_STRUCT, 3, 2, 2);
  check_integers((int[]){2, 1, 3}, 3);
  CHECK_EQUAL(addresses[1], 16);
  CHECK(types[0] == MPI_DOUBLE);
  CHECK_MPI(MPI_Type_create_struct(integers[0], integers + 1, addresses, types, &again));
  CHECK_MPI(MPI_Type_free(&types[1]));
  CHECK_MPI(MPI_Type_get_extent(type, &lower, &extent));
  CHECK_MPI(MPI_Type_get_extent(again, &lower_again, &extent_again));
  CHECK_MPI(MPI_Type_size(type, &size));
  CHECK_MPI(MPI_Type_size(again, &size_again));
  CHECK_EQUAL(lower, lower_again);
  CHECK_EQUAL(extent, extent_again);
  CHECK_EQUAL(size, size_again);
  CHECK_EQUAL(size, 8 + 3 * 8);
  CHECK_MPI(MPI_Type_free(&type));
  CHECK_MPI(MPI_Type_free(&again));
}

static void large_counts(void)
{
#if MPI_VERSION >= 4
  MPI_Datatype type;
  MPI_Count num_integers, num_addresses, num_large, num_types, large[8];
  int combiner, few;
  const MPI_Count lengths[2] = {1, (MPI_Count)1 << 33}, places[2] = {0, 64};
  CHECK_MPI(MPI_Type_create_hindexed_c(2, lengths, places, MPI_INT, &type));
  CHECK_MPI(MPI_Type_get_envelope_c(type, &num_integers, &num_addresses, &num_large, &num_types, &combiner));
  CHECK_EQUAL(combiner, MPI_COMBINER_HINDEXED);
  CHECK_EQUAL(num_integers, 0);
  CHECK_EQUAL(num_addresses, 0);
  CHECK_EQUAL(num_large, 5);
  CHECK_EQUAL(num_types, 1);
  CHECK_MPI(MPI_Type_get_contents_c(type, 0, 0, 5, 1, integers, addresses, large, types));
  CHECK_EQUAL(large[0], 2);
  CHECK_EQUAL(large[2], (MPI_Count)1 << 33);
  CHECK_EQUAL(large[4], 64);
  CHECK(MPI_Type_get_contents(type, 1, 1, 1, integers, addresses, types) != MPI_SUCCESS);
  CHECK_MPI(MPI_Type_size(type, &few));
  CHECK_EQUAL(few, MPI_UNDEFINED);
  CHECK_MPI(MPI_Type_free(&type));
#endif
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  simple();
  indexed();
  arrays();
  structures();
  large_counts();
  CHECK_CLASS(MPI_Type_get_contents(MPI_INT, 1, 1, 1, integers, addresses, types), MPI_ERR_TYPE);
  return check_end();
}
