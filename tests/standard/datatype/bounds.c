/* Sizes and bounds where explicit bounds, negative extents, gaps and zero counts meet: the standard's typemap decides. */
#include "../check.h"

static void check_bounds(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Aint true_lower, MPI_Aint true_extent, int size)
{
  MPI_Aint got_lower, got_extent;
  int got_size;
  CHECK_MPI(MPI_Type_get_extent(type, &got_lower, &got_extent));
  CHECK_EQUAL(got_lower, lower);
  CHECK_EQUAL(got_extent, extent);
  CHECK_MPI(MPI_Type_get_true_extent(type, &got_lower, &got_extent));
  CHECK_EQUAL(got_lower, true_lower);
  CHECK_EQUAL(got_extent, true_extent);
  CHECK_MPI(MPI_Type_size(type, &got_size));
  CHECK_EQUAL(got_size, size);
}

int main(int argc, char** argv)
{
  MPI_Datatype bytes, resized, type, outer;
  check_begin(&argc, &argv);

  /* Three of four bytes, 9 bytes backwards each. */
  CHECK_MPI(MPI_Type_contiguous(4, MPI_BYTE, &bytes));
  CHECK_MPI(MPI_Type_create_resized(bytes, 6, -9, &resized));
  CHECK_MPI(MPI_Type_contiguous(3, resized, &type));
  check_bounds(type, -12, 9, -18, 22, 12);
  CHECK_MPI(MPI_Type_free(&bytes));
  CHECK_MPI(MPI_Type_free(&resized));
  CHECK_MPI(MPI_Type_free(&type));

  /* Explicit bounds inside a struct win over the data beside them. */
  CHECK_MPI(MPI_Type_create_resized(MPI_INT, 0, 8, &resized));
  CHECK_MPI(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 32}, (MPI_Datatype[]){resized, MPI_DOUBLE}, &type));
  check_bounds(type, 0, 8, 0, 40, 12);
  CHECK_MPI(MPI_Type_free(&resized));
  CHECK_MPI(MPI_Type_free(&type));

  /* A struct is padded to its strictest member. */
  CHECK_MPI(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &type));
  check_bounds(type, 0, 16, 0, 9, 9);
  CHECK_MPI(MPI_Type_contiguous(2, type, &outer));
  check_bounds(outer, 0, 32, 0, 25, 18);
  CHECK_MPI(MPI_Type_free(&type));
  CHECK_MPI(MPI_Type_free(&outer));

  /* A subarray has the bounds of its array, inside a struct as well. */
  CHECK_MPI(MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 2}, (int[]){1, 3}, MPI_ORDER_C, MPI_INT, &type));
  check_bounds(type, 0, 96, 36, 32, 16);
  CHECK_MPI(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 96}, (MPI_Datatype[]){type, type}, &outer));
  check_bounds(outer, 0, 192, 36, 128, 32);
  CHECK_MPI(MPI_Type_free(&type));
  CHECK_MPI(MPI_Type_free(&outer));

  /* Nothing at all. */
  CHECK_MPI(MPI_Type_contiguous(0, MPI_DOUBLE, &type));
  check_bounds(type, 0, 0, 0, 0, 0);
  CHECK_MPI(MPI_Type_free(&type));
  CHECK_MPI(MPI_Type_indexed(2, (int[]){0, 1}, (int[]){-100, 3}, MPI_INT, &type));
  check_bounds(type, 12, 4, 12, 4, 4);
  CHECK_MPI(MPI_Type_free(&type));

  /* Pairs with a gap. */
  check_bounds(MPI_SHORT_INT, 0, 8, 0, 8, 6);
  check_bounds(MPI_DOUBLE_INT, 0, 16, 0, 12, 12);
  return check_end();
}
