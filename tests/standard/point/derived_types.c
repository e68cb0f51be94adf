/* Messages of vector, indexed, struct and resized types equal a pack by hand, across eager and rendezvous sizes, typed
 * on one side, on the other, and on both; gaps are never written. */
#include "../check.h"

typedef struct { char name; double value; short pair[3]; } Item;

static MPI_Datatype make_item(void)
{
  const int lengths[3] = {1, 1, 3};
  const MPI_Aint offsets[3] = {offsetof(Item, name), offsetof(Item, value), offsetof(Item, pair)};
  const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype raw, item;
  CHECK_MPI(MPI_Type_create_struct(3, lengths, offsets, types, &raw));
  CHECK_MPI(MPI_Type_create_resized(raw, 0, sizeof(Item), &item));
  CHECK_MPI(MPI_Type_commit(&item));
  CHECK_MPI(MPI_Type_free(&raw));
  return item;
}

static void structs(int count)
{
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  Item *sent = check_allocate((size_t)count * sizeof(Item)), *got = check_allocate((size_t)count * sizeof(Item));
  MPI_Datatype item = make_item();
  memset(got, 0x55, (size_t)count * sizeof(Item));
  for (int i = 0; i < count; ++i) {
    sent[i].name = (char)(i % 100);
    sent[i].value = my_rank + i * 0.5;
    for (int k = 0; k < 3; ++k) sent[i].pair[k] = (short)(i % 1000 + k);
  }
  CHECK_MPI(MPI_Sendrecv(sent, count, item, to, 1, got, count, item, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < count; ++i) {
    CHECK(got[i].name == (char)(i % 100) && got[i].value == from + i * 0.5);
    for (int k = 0; k < 3; ++k) CHECK_EQUAL(got[i].pair[k], i % 1000 + k);
    CHECK_EQUAL(((char*)&got[i])[1], 0x55); /* the padding after the name */
  }
  CHECK_MPI(MPI_Type_free(&item));
  free(sent);
  free(got);
}

/* A column of a matrix goes out, arrives as a plain row, and the other way round. */
static void columns(int rows, int width)
{
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  int *matrix = check_allocate((size_t)(rows * width) * sizeof(int)), *row = check_allocate((size_t)rows * sizeof(int));
  MPI_Datatype column;
  CHECK_MPI(MPI_Type_vector(rows, 1, width, MPI_INT, &column));
  CHECK_MPI(MPI_Type_commit(&column));
  for (int i = 0; i < rows * width; ++i) matrix[i] = i + my_rank;
  CHECK_MPI(MPI_Sendrecv(matrix + 1, 1, column, to, 1, row, rows, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < rows; ++i) CHECK_EQUAL(row[i], i * width + 1 + from);
  for (int i = 0; i < rows; ++i) row[i] = -i;
  CHECK_MPI(MPI_Sendrecv(row, rows, MPI_INT, to, 2, matrix, 1, column, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < rows * width; ++i) CHECK_EQUAL(matrix[i], i % width ? i + my_rank : -(i / width));
  CHECK_MPI(MPI_Type_free(&column));
  free(matrix);
  free(row);
}

/* Blocks of unlike lengths, out of order, with a repeated count and an extent that lets neighbours interleave. */
static void indexed(int count)
{
  const int lengths[4] = {2, 0, 3, 1}, places[4] = {7, 3, 0, 5};
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  static const int order[6] = {7, 8, 0, 1, 2, 5};
  short *sent = check_allocate((size_t)(10 * count) * sizeof(short)), *got = check_allocate((size_t)(6 * count) * sizeof(short));
  MPI_Datatype raw, type;
  CHECK_MPI(MPI_Type_indexed(4, lengths, places, MPI_SHORT, &raw));
  CHECK_MPI(MPI_Type_create_resized(raw, 0, 10 * sizeof(short), &type));
  CHECK_MPI(MPI_Type_commit(&type));
  for (int i = 0; i < 10 * count; ++i) sent[i] = (short)(i % 20000 + my_rank);
  CHECK_MPI(MPI_Sendrecv(sent, count, type, to, 3, got, 6 * count, MPI_SHORT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 6; ++k) CHECK_EQUAL(got[6 * i + k], (10 * i + order[k]) % 20000 + from);
  CHECK_MPI(MPI_Type_free(&type));
  CHECK_MPI(MPI_Type_free(&raw));
  free(sent);
  free(got);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  for (int count = 1; count <= 100000; count = count * 10 + 3) {
    structs(count);
    indexed(count);
  }
  columns(1, 3);
  columns(50, 7);
  columns(3000, 11);
  columns(200000, 2);
  return check_end();
}
