/* Counting a status in whole and in basic elements, also where an int cannot hold the answer. */
#include "../check.h"

int main(int argc, char** argv)
{
  MPI_Datatype pair, odd, large;
  MPI_Status status;
  MPI_Count many;
  int count;
  check_begin(&argc, &argv);

  /* int, double, int: twenty bytes and three elements. */
  CHECK_MPI(MPI_Type_create_struct(3, (int[]){1, 1, 1}, (MPI_Aint[]){0, 8, 16}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_INT}, &odd));
  CHECK_MPI(MPI_Type_commit(&odd));
  for (int elements = 0; elements <= 9; ++elements) {
    CHECK_MPI(MPI_Status_set_elements(&status, odd, elements));
    CHECK_MPI(MPI_Get_elements(&status, odd, &count));
    CHECK_EQUAL(count, elements);
    CHECK_MPI(MPI_Get_count(&status, odd, &count));
    CHECK_EQUAL(count, elements % 3 == 0 ? elements / 3 : MPI_UNDEFINED);
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQUAL(count, elements / 3 * 16 + (elements % 3 == 2 ? 12 : elements % 3 == 1 ? 4 : 0));
  }
  CHECK_MPI(MPI_Status_set_elements(&status, MPI_BYTE, 6)); /* ends inside the double */
  CHECK_MPI(MPI_Get_elements(&status, odd, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);

  /* A pair is two elements. */
  CHECK_MPI(MPI_Type_contiguous(3, MPI_SHORT_INT, &pair));
  CHECK_MPI(MPI_Type_commit(&pair));
  CHECK_MPI(MPI_Status_set_elements(&status, MPI_BYTE, 8)); /* a pair and a short */
  CHECK_MPI(MPI_Get_elements(&status, pair, &count));
  CHECK_EQUAL(count, 3);

  /* Just below and above what an int holds. */
  CHECK_MPI(MPI_Type_contiguous(1 << 30, MPI_CHAR, &large));
  CHECK_MPI(MPI_Type_commit(&large));
  CHECK_MPI(MPI_Status_set_elements_x(&status, large, (MPI_Count)2147483647));
  CHECK_MPI(MPI_Get_elements(&status, MPI_CHAR, &count));
  CHECK_EQUAL(count, 2147483647);
  CHECK_MPI(MPI_Status_set_elements_x(&status, large, (MPI_Count)1 << 31));
  CHECK_MPI(MPI_Get_elements(&status, MPI_CHAR, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);
  CHECK_MPI(MPI_Get_elements_x(&status, MPI_CHAR, &many));
  CHECK_EQUAL(many, (MPI_Count)1 << 31);
  CHECK_MPI(MPI_Get_count(&status, large, &count));
  CHECK_EQUAL(count, 2);
  CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
  CHECK_EQUAL(count, 1 << 29);
  CHECK_MPI(MPI_Get_count(&status, MPI_CHAR, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);
  CHECK_MPI(MPI_Type_size_x(large, &many));
  CHECK_EQUAL(many, 1 << 30);
#if MPI_VERSION >= 4
  CHECK_MPI(MPI_Get_count_c(&status, MPI_CHAR, &many));
  CHECK_EQUAL(many, (MPI_Count)1 << 31);
#endif
  CHECK_MPI(MPI_Type_free(&odd));
  CHECK_MPI(MPI_Type_free(&pair));
  CHECK_MPI(MPI_Type_free(&large));
  return check_end();
}
