/* Badly scaled sums come out with the same bits on every rank, in every repetition, whatever the order of arrival (CO01).
 * Argument: repetitions. */
#include "forms.h"
#include <math.h>
#include <stdint.h>
#include <unistd.h>

static double badly_scaled(int rank, int place)
{
  return sin(1 + place + 7.3 * rank) * pow(10, (rank * 5 + place) % 17 - 8);
}

static uint64_t fingerprint(const double* values, int count)
{
  uint64_t hash = 14695981039346656037u, bits;
  for (int i = 0; i < count; ++i) {
    memcpy(&bits, &values[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

static void check_same_everywhere(uint64_t mine)
{
  uint64_t lowest, highest;
  CHECK_MPI(MPI_Allreduce(&mine, &lowest, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Allreduce(&mine, &highest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD));
  CHECK(lowest == highest);
}

/* Returns the sum's fingerprint; every rank arrives at another time. */
static uint64_t once(int form, int count, unsigned* state)
{
  double *mine = check_allocate((size_t)count * sizeof(double)), *sum = check_allocate((size_t)count * sizeof(double));
  for (int i = 0; i < count; ++i) mine[i] = badly_scaled(my_rank, i);
  if (random_next(state) % 2) usleep(random_next(state) % 300);
  COLLECTIVE(form, Allreduce, Iallreduce, mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const uint64_t mark = fingerprint(sum, count);
  check_same_everywhere(mark);
  free(mine);
  free(sum);
  return mark;
}

/* Reduce_scatter's parts: right within rounding, and the same bits in every repetition. */
static uint64_t scattered(int count)
{
  double *mine = check_allocate((size_t)(count * job_size) * sizeof(double)), *part = check_allocate((size_t)count * sizeof(double));
  for (int i = 0; i < count * job_size; ++i) mine[i] = badly_scaled(my_rank, i);
  CHECK_MPI(MPI_Reduce_scatter_block(mine, part, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  for (int i = 0; i < count; ++i) {
    double want = 0, scale = 0;
    for (int rank = 0; rank < job_size; ++rank) {
      want += badly_scaled(rank, my_rank * count + i);
      scale += fabs(badly_scaled(rank, my_rank * count + i));
    }
    CHECK(fabs(part[i] - want) <= 1e-13 * scale);
  }
  const uint64_t mark = fingerprint(part, count);
  free(mine);
  free(part);
  return mark;
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int repetitions = argc > 1 ? atoi(argv[1]) : 10;
  unsigned state = 5u + (unsigned)my_rank;
  for (int count = 1; count <= 4096; count *= 4) {
    const uint64_t first = once(blocking, count, &state), part = scattered(count);
    for (int i = 0; i < repetitions; ++i) CHECK(once(blocking, count, &state) == first);
    for (int i = 0; i < 3; ++i) CHECK(scattered(count) == part);
  }
  return check_end();
}
