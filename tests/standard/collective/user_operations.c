/* User operations: a non-commutative one (2x2 matrices modulo a prime, so that any wrong order shows), on a derived type,
 * through every reduction, form, root and in place; and a commutative one on a strided type. */
#include "forms.h"

enum { prime = 9973 };
typedef struct { int a, b, c, d; } Matrix;

static Matrix multiply(Matrix x, Matrix y)
{
  const Matrix r = {(x.a * y.a + x.b * y.c) % prime, (x.a * y.b + x.b * y.d) % prime,
                    (x.c * y.a + x.d * y.c) % prime, (x.c * y.b + x.d * y.d) % prime};
  return r;
}

static void matrix_product(void* in, void* inout, int* count, MPI_Datatype* type)
{
  const Matrix* left = in;
  Matrix* right = inout;
  (void)type;
  for (int i = 0; i < *count; ++i) right[i] = multiply(left[i], right[i]);
}

static Matrix matrix_of(int rank, int place)
{
  const Matrix m = {(rank * 7 + place) % prime, 1 + rank % 5, 2, (place * 3 + rank) % prime};
  return m;
}

static Matrix product_of(int end_rank, int place)
{
  Matrix result = matrix_of(0, place);
  for (int rank = 1; rank < end_rank; ++rank) result = multiply(result, matrix_of(rank, place));
  return result;
}

static void fill(Matrix* out, int count)
{
  for (int i = 0; i < count; ++i) out[i] = matrix_of(my_rank, i);
}

static void check_products(const Matrix* got, int end_rank, int first, int count)
{
  for (int i = 0; i < count; ++i) {
    const Matrix want = product_of(end_rank, first + i);
    CHECK(memcmp(&got[i], &want, sizeof want) == 0);
  }
}

static void ordered(int form, int count, int in_place, MPI_Datatype type, MPI_Op op)
{
  const size_t bytes = (size_t)(count * job_size) * sizeof(Matrix);
  Matrix *mine = check_allocate(bytes), *result = check_allocate(bytes);
  const void* from = in_place ? MPI_IN_PLACE : mine;
  fill(mine, count * job_size);
  for (int root = 0; root < job_size; ++root) {
    fill(result, count);
    COLLECTIVE(form, Reduce, Ireduce, my_rank == root ? from : mine, result, count, type, op, root, MPI_COMM_WORLD);
    if (my_rank == root) check_products(result, job_size, 0, count);
  }
  fill(result, count);
  COLLECTIVE(form, Allreduce, Iallreduce, from, result, count, type, op, MPI_COMM_WORLD);
  check_products(result, job_size, 0, count);
  fill(result, count);
  COLLECTIVE(form, Scan, Iscan, from, result, count, type, op, MPI_COMM_WORLD);
  check_products(result, my_rank + 1, 0, count);
  fill(result, count);
  COLLECTIVE(form, Exscan, Iexscan, from, result, count, type, op, MPI_COMM_WORLD);
  if (my_rank > 0) check_products(result, my_rank, 0, count);
  fill(result, count * job_size);
  COLLECTIVE(form, Reduce_scatter_block, Ireduce_scatter_block, from, result, count, type, op, MPI_COMM_WORLD);
  check_products(result, job_size, my_rank * count, count);
  free(mine);
  free(result);
}

/* Adds the first int of each pair, leaves the second alone: it must stay what it was at the receiver. */
static void add_firsts(void* in, void* inout, int* count, MPI_Datatype* type)
{
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i) {
    const int* left = (const int*)(const void*)((const char*)in + i * extent);
    int* right = (int*)(void*)((char*)inout + i * extent);
    *right += *left;
  }
}

static void strided(int form, int count)
{
  MPI_Datatype first;
  MPI_Op op;
  int commutes = -1;
  int* mine = values_of(my_rank, 0, 2 * count);
  int* sum = untouched_ints(2 * count);
  CHECK_MPI(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &first));
  CHECK_MPI(MPI_Type_commit(&first));
  CHECK_MPI(MPI_Op_create(add_firsts, 1, &op));
  CHECK_MPI(MPI_Op_commutative(op, &commutes));
  CHECK(commutes);
  COLLECTIVE(form, Allreduce, Iallreduce, mine, sum, count, first, op, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    int want = 0;
    for (int rank = 0; rank < job_size; ++rank) want += value_at(rank, 2 * i);
    CHECK_EQUAL(sum[2 * i], want);
    CHECK_EQUAL(sum[2 * i + 1], untouched);
  }
  CHECK_MPI(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);
  CHECK_MPI(MPI_Type_free(&first));
  free(mine);
  free(sum);
}

int main(int argc, char** argv)
{
  static const int counts[] = {1, 2, 7, 100, 3000};
  MPI_Datatype type;
  MPI_Op op;
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Type_contiguous(4, MPI_INT, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  CHECK_MPI(MPI_Op_create(matrix_product, 0, &op));
  for (int form = 0; form < form_count; ++form)
    for (int k = 0; k < 5; ++k) {
      for (int in_place = 0; in_place < 2; ++in_place) ordered(form, counts[k], in_place, type, op);
      strided(form, counts[k]);
    }
  CHECK_MPI(MPI_Op_free(&op));
  CHECK_MPI(MPI_Type_free(&type));
  return check_end();
}
