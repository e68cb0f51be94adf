/* Every predefined operation on every kind of type it is defined for, against a fold by hand; wrong pairs give MPI_ERR_OP. */
#include "../check.h"
#include <complex.h>
#include <stdint.h>

enum { count = 37 };

/* One test of one C type: values from rank and place, folded with an expression over x and y. */
#define CASE(type, mpi_type, op, expression)                                                   \
  do {                                                                                         \
    type mine[count], got[count];                                                              \
    for (int i = 0; i < count; ++i) mine[i] = (type)((my_rank * 3 + i * 5) % 7 + 1);           \
    CHECK_MPI(MPI_Allreduce(mine, got, count, mpi_type, op, MPI_COMM_WORLD));                  \
    for (int i = 0; i < count; ++i) {                                                          \
      type x = (type)((i * 5) % 7 + 1);                                                        \
      for (int rank = 1; rank < job_size; ++rank) {                                            \
        const type y = (type)((rank * 3 + i * 5) % 7 + 1);                                     \
        x = (type)(expression);                                                                \
      }                                                                                        \
      check_true(got[i] == x, #op " of " #mpi_type, __FILE__, __LINE__);                       \
    }                                                                                          \
  } while (0)

#define ARITHMETIC(type, mpi_type)            \
  do {                                        \
    CASE(type, mpi_type, MPI_MAX, x > y ? x : y); \
    CASE(type, mpi_type, MPI_MIN, x < y ? x : y); \
    CASE(type, mpi_type, MPI_SUM, x + y);     \
    CASE(type, mpi_type, MPI_PROD, x * y);    \
  } while (0)

/* MPI_AINT and its kind: no logical operations */
#define ADDRESS(type, mpi_type)                 \
  do {                                          \
    ARITHMETIC(type, mpi_type);                 \
    CASE(type, mpi_type, MPI_BAND, x & y);      \
    CASE(type, mpi_type, MPI_BOR, x | y);       \
    CASE(type, mpi_type, MPI_BXOR, x ^ y);      \
  } while (0)

#define INTEGER(type, mpi_type)                 \
  do {                                          \
    ADDRESS(type, mpi_type);                    \
    CASE(type, mpi_type, MPI_LAND, x && y);     \
    CASE(type, mpi_type, MPI_LOR, x || y);      \
    CASE(type, mpi_type, MPI_LXOR, !x != !y);   \
  } while (0)

static void integers(void)
{
  INTEGER(signed char, MPI_SIGNED_CHAR);
  INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
  INTEGER(short, MPI_SHORT);
  INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
  INTEGER(int, MPI_INT);
  INTEGER(unsigned, MPI_UNSIGNED);
  INTEGER(long, MPI_LONG);
  INTEGER(unsigned long, MPI_UNSIGNED_LONG);
  INTEGER(long long, MPI_LONG_LONG);
  INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG);
}

static void fixed_width(void)
{
  INTEGER(int8_t, MPI_INT8_T);
  INTEGER(int16_t, MPI_INT16_T);
  INTEGER(int32_t, MPI_INT32_T);
  INTEGER(int64_t, MPI_INT64_T);
  INTEGER(uint8_t, MPI_UINT8_T);
  INTEGER(uint16_t, MPI_UINT16_T);
  INTEGER(uint32_t, MPI_UINT32_T);
  INTEGER(uint64_t, MPI_UINT64_T);
  ADDRESS(MPI_Aint, MPI_AINT);
  ADDRESS(MPI_Offset, MPI_OFFSET);
  ADDRESS(MPI_Count, MPI_COUNT);
}

static void floating(void)
{
  ARITHMETIC(float, MPI_FLOAT);
  ARITHMETIC(double, MPI_DOUBLE);
  ARITHMETIC(long double, MPI_LONG_DOUBLE);
  CASE(float complex, MPI_C_FLOAT_COMPLEX, MPI_SUM, x + y);
  CASE(double complex, MPI_C_DOUBLE_COMPLEX, MPI_SUM, x + y);
  CASE(double complex, MPI_C_DOUBLE_COMPLEX, MPI_PROD, x * y);
}

static void bytes_and_booleans(void)
{
  CASE(unsigned char, MPI_BYTE, MPI_BAND, x & y);
  CASE(unsigned char, MPI_BYTE, MPI_BOR, x | y);
  CASE(unsigned char, MPI_BYTE, MPI_BXOR, x ^ y);
  CASE(_Bool, MPI_C_BOOL, MPI_LAND, x && y);
  CASE(_Bool, MPI_C_BOOL, MPI_LOR, x || y);
  CASE(_Bool, MPI_C_BOOL, MPI_LXOR, x != y);
}

/* Extreme value and its lowest index; equal values meet on purpose. */
#define LOCATION(type, mpi_type, op, better)                                       \
  do {                                                                             \
    struct { type value; int index; } mine[count], got[count];                     \
    memset(mine, 0, sizeof mine);                                                  \
    for (int i = 0; i < count; ++i) {                                              \
      mine[i].value = (type)((my_rank * 3 + i) % 4);                               \
      mine[i].index = my_rank;                                                     \
    }                                                                              \
    CHECK_MPI(MPI_Allreduce(mine, got, count, mpi_type, op, MPI_COMM_WORLD));      \
    for (int i = 0; i < count; ++i) {                                              \
      type x = (type)(i % 4);                                                      \
      int where = 0;                                                               \
      for (int rank = 1; rank < job_size; ++rank) {                                \
        const type y = (type)((rank * 3 + i) % 4);                                 \
        if (better) {                                                              \
          x = y;                                                                   \
          where = rank;                                                            \
        }                                                                          \
      }                                                                            \
      check_true(got[i].value == x && got[i].index == where, #op " of " #mpi_type, __FILE__, __LINE__); \
    }                                                                              \
  } while (0)

static void locations(void)
{
  LOCATION(int, MPI_2INT, MPI_MAXLOC, y > x);
  LOCATION(int, MPI_2INT, MPI_MINLOC, y < x);
  LOCATION(short, MPI_SHORT_INT, MPI_MINLOC, y < x);
  LOCATION(long, MPI_LONG_INT, MPI_MAXLOC, y > x);
  LOCATION(float, MPI_FLOAT_INT, MPI_MINLOC, y < x);
  LOCATION(double, MPI_DOUBLE_INT, MPI_MAXLOC, y > x);
  LOCATION(double, MPI_DOUBLE_INT, MPI_MINLOC, y < x);
  LOCATION(long double, MPI_LONG_DOUBLE_INT, MPI_MAXLOC, y > x);
}

static void not_defined(void)
{
  double x = 1, y;
  CHECK_CLASS(MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
  CHECK_CLASS(MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAXLOC, MPI_COMM_WORLD), MPI_ERR_OP);
  CHECK_CLASS(MPI_Allreduce(&x, &y, 1, MPI_BYTE, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
}

/* The same kernels without communication. */
static void local(void)
{
  int in[3] = {1, 5, -2}, inout[3] = {4, 3, -9};
  CHECK_MPI(MPI_Reduce_local(in, inout, 3, MPI_INT, MPI_MAX));
  CHECK(inout[0] == 4 && inout[1] == 5 && inout[2] == -2);
  CHECK_MPI(MPI_Reduce_local(NULL, NULL, 0, MPI_INT, MPI_SUM));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  integers();
  fixed_width();
  floating();
  bytes_and_booleans();
  locations();
  not_defined();
  local();
  return check_end();
}
