/* One message of many MiB (argument, default 80; 2050 passes every 31-bit limit): by a derived type, by the large-count
 * call, exchanged both ways, and counted exactly (PP03). Ranks beyond 0 and 1 watch. */
#include "../check.h"
#include <limits.h>

enum { block = 1 << 20 };

/* The first and last bytes of each MiB, and two odd places, stand for the whole. */
static void mark(unsigned char* data, size_t bytes, int seed)
{
  for (size_t i = 0; i < bytes; i += 65521) data[i] = pattern_byte(seed, i);
  data[bytes - 1] = (unsigned char)(200 + seed);
}

static void check_marks(const unsigned char* data, size_t bytes, int seed)
{
  for (size_t i = 0; i < bytes - 1; i += 65521)
    if (data[i] != pattern_byte(seed, i)) CHECK_EQUAL((long long)i, -1); /* names the place */
  CHECK_EQUAL(data[bytes - 1], 200 + seed);
}

static void check_counts(const MPI_Status* status, MPI_Datatype mib, int blocks, size_t bytes)
{
  int count = -1;
  MPI_Count large = -1;
  CHECK_MPI(MPI_Get_count(status, mib, &count));
  CHECK_EQUAL(count, blocks);
  CHECK_MPI(MPI_Get_count(status, MPI_BYTE, &count));
  CHECK_EQUAL(count, bytes > INT_MAX ? MPI_UNDEFINED : (long long)bytes);
  CHECK_MPI(MPI_Get_elements(status, mib, &count));
  CHECK_EQUAL(count, bytes > INT_MAX ? MPI_UNDEFINED : (long long)bytes);
  CHECK_MPI(MPI_Get_elements_x(status, mib, &large));
  CHECK_EQUAL(large, bytes);
#if MPI_VERSION >= 4
  CHECK_MPI(MPI_Get_count_c(status, MPI_BYTE, &large));
  CHECK_EQUAL(large, bytes);
#endif
}

static void one_way(unsigned char* data, MPI_Datatype mib, int blocks)
{
  const size_t bytes = (size_t)blocks * block;
  MPI_Status status;
  for (int form = 0; form < 2; ++form) {
#if MPI_VERSION < 4
    if (form == 1) break;
#endif
    if (my_rank == 0) {
      mark(data, bytes, form);
      if (form == 0) CHECK_MPI(MPI_Send(data, blocks, mib, 1, form, MPI_COMM_WORLD));
#if MPI_VERSION >= 4
      else CHECK_MPI(MPI_Send_c(data, (MPI_Count)bytes, MPI_BYTE, 1, form, MPI_COMM_WORLD));
#endif
    } else {
      if (form == 0) CHECK_MPI(MPI_Recv(data, blocks, mib, 0, form, MPI_COMM_WORLD, &status));
#if MPI_VERSION >= 4
      else CHECK_MPI(MPI_Recv_c(data, (MPI_Count)bytes, MPI_BYTE, 0, form, MPI_COMM_WORLD, &status));
#endif
      check_counts(&status, mib, blocks, bytes);
      check_marks(data, bytes, form);
    }
  }
}

static void replace_both_ways(unsigned char* data, MPI_Datatype mib, int blocks)
{
  const size_t bytes = (size_t)blocks * block;
  mark(data, bytes, 10 + my_rank);
  CHECK_MPI(MPI_Sendrecv_replace(data, blocks, mib, 1 - my_rank, 5, 1 - my_rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  check_marks(data, bytes, 10 + 1 - my_rank);
}

static void type_sizes_near_the_limit(void)
{
  MPI_Datatype type;
  MPI_Count large = -1;
  int size = -1;
  CHECK_MPI(MPI_Type_contiguous(INT_MAX, MPI_CHAR, &type));
  CHECK_MPI(MPI_Type_size(type, &size));
  CHECK_EQUAL(size, INT_MAX);
  CHECK_MPI(MPI_Type_free(&type));
  CHECK_MPI(MPI_Type_contiguous(INT_MAX / 2 + 1, MPI_SHORT, &type));
  CHECK_MPI(MPI_Type_size(type, &size));
  CHECK_EQUAL(size, MPI_UNDEFINED);
  CHECK_MPI(MPI_Type_size_x(type, &large));
  CHECK_EQUAL(large, 2LL * (INT_MAX / 2 + 1));
  CHECK_MPI(MPI_Type_free(&type));
}

int main(int argc, char** argv)
{
  MPI_Datatype mib;
  check_begin(&argc, &argv);
  const int blocks = argc > 1 ? atoi(argv[1]) : 80;
  type_sizes_near_the_limit();
  CHECK_MPI(MPI_Type_contiguous(block, MPI_CHAR, &mib));
  CHECK_MPI(MPI_Type_commit(&mib));
  if (job_size > 1 && my_rank < 2) {
    unsigned char* data = check_allocate((size_t)blocks * block);
    one_way(data, mib, blocks);
    replace_both_ways(data, mib, blocks);
    free(data);
  }
  CHECK_MPI(MPI_Type_free(&mib));
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  return check_end();
}
