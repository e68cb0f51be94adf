/* Packing into one's own buffer: positions, sizes, absolute addresses, the portable representation, and what is refused. */
#include "../check.h"

static void positions(void)
{
  MPI_Datatype column;
  int matrix[4][5], back[4][5] = {{0}}, position = 0, size;
  char buffer[100];
  for (int i = 0; i < 20; ++i) matrix[i / 5][i % 5] = i;
  CHECK_MPI(MPI_Type_vector(4, 1, 5, MPI_INT, &column));
  CHECK_MPI(MPI_Type_commit(&column));
  CHECK_MPI(MPI_Pack_size(1, column, MPI_COMM_WORLD, &size));
  CHECK(size >= 16);
  CHECK_MPI(MPI_Pack(&matrix[0][1], 1, column, buffer, 100, &position, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Pack(&matrix[0][3], 1, column, buffer, 100, &position, MPI_COMM_WORLD));
  CHECK_EQUAL(position, 32);
  position = 0;
  CHECK_MPI(MPI_Unpack(buffer, 32, &position, &back[0][1], 1, column, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Unpack(buffer, 32, &position, &back[0][3], 1, column, MPI_COMM_WORLD));
  CHECK_EQUAL(position, 32);
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(back[i / 5][i % 5], i % 5 == 1 || i % 5 == 3 ? i : 0);
  CHECK_MPI(MPI_Type_free(&column));
}

static void absolute_addresses(void)
{
  MPI_Datatype all;
  MPI_Aint places[2];
  int first = 3, got_first = 0, position = 0;
  double second = 4.5, got_second = 0;
  char buffer[100];
  CHECK_MPI(MPI_Get_address(&first, &places[0]));
  CHECK_MPI(MPI_Get_address(&second, &places[1]));
  CHECK_EQUAL(MPI_Aint_add(places[0], MPI_Aint_diff(places[1], places[0])), places[1]);
  CHECK_MPI(MPI_Type_create_struct(2, (int[]){1, 1}, places, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &all));
  CHECK_MPI(MPI_Type_commit(&all));
  CHECK_MPI(MPI_Pack(MPI_BOTTOM, 1, all, buffer, 100, &position, MPI_COMM_WORLD));
  CHECK_EQUAL(position, 12);
  position = 0;
  CHECK_MPI(MPI_Unpack(buffer, 12, &position, &got_first, 1, MPI_INT, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Unpack(buffer, 12, &position, &got_second, 1, MPI_DOUBLE, MPI_COMM_WORLD));
  CHECK_EQUAL(got_first, 3);
  CHECK(got_second == 4.5);
  CHECK_MPI(MPI_Type_free(&all));
}

static void portable(void)
{
  const int numbers[3] = {1, -2, 0x01020304};
  const unsigned char right[12] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe, 1, 2, 3, 4};
  int back[3] = {0};
  unsigned char buffer[16] = {0};
  MPI_Aint position = 0, size = 0;
  CHECK_MPI(MPI_Pack_external_size("external32", 3, MPI_INT, &size));
  CHECK_EQUAL(size, 12);
  CHECK_MPI(MPI_Pack_external("external32", numbers, 3, MPI_INT, buffer, 16, &position));
  CHECK_EQUAL(position, 12);
  CHECK(memcmp(buffer, right, 12) == 0);
  position = 0;
  CHECK_MPI(MPI_Unpack_external("external32", buffer, 12, &position, back, 3, MPI_INT));
  CHECK(memcmp(back, numbers, 12) == 0);
}

static void refused(void)
{
  MPI_Datatype uncommitted;
  int numbers[4] = {0}, position = 0;
  char buffer[8];
  CHECK(MPI_Pack(numbers, 3, MPI_INT, buffer, 8, &position, MPI_COMM_WORLD) != MPI_SUCCESS);
  CHECK_EQUAL(position, 0);
  CHECK_CLASS(MPI_Pack(numbers, -1, MPI_INT, buffer, 8, &position, MPI_COMM_WORLD), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Pack(numbers, 1, MPI_DATATYPE_NULL, buffer, 8, &position, MPI_COMM_WORLD), MPI_ERR_TYPE);
  CHECK_MPI(MPI_Type_contiguous(2, MPI_INT, &uncommitted));
  CHECK_CLASS(MPI_Pack(numbers, 1, uncommitted, buffer, 8, &position, MPI_COMM_WORLD), MPI_ERR_TYPE);
  CHECK_MPI(MPI_Type_free(&uncommitted));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  positions();
  absolute_addresses();
  portable();
  refused();
  return check_end();
}
