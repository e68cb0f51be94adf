/* Ranks x operations add up exactly, the home taking part: fetch-add, compare-swap as an increment, swap and read mixed, on
 * numbers homed at every rank; what fetch-add brings back differs everywhere, and reads never go back (RM02).
 * Arguments: operations a rank (default 2000), the way expected ("memory", "endpoint", "served", "" for any). */
#include "../check.h"
#include <weft.h>

static int64_t* all_of(const int64_t* mine, int count)
{
  int64_t* all = check_allocate(sizeof(int64_t) * (size_t)count * (size_t)job_size);
  CHECK_MPI(MPI_Allgather(mine, count, MPI_INT64_T, all, count, MPI_INT64_T, MPI_COMM_WORLD));
  return all;
}

static void increments(weft_counter counter, int times)
{
  int64_t before, last = -1, *tickets = check_allocate(sizeof(int64_t) * (size_t)times);
  char* seen = check_allocate((size_t)times * (size_t)job_size);
  for (int i = 0; i < times; ++i) {
    CHECK_MPI(weft_counter_fetch_add(counter, 0, 1, &tickets[i]));
    CHECK(tickets[i] > last);
    last = tickets[i];
    if (i % 16 == 0) {
      CHECK_MPI(weft_counter_read(counter, 0, &before));
      CHECK(before > last);
    }
  }
  int64_t* all = all_of(tickets, times);
  for (int i = 0; i < times * job_size; ++i) {
    CHECK(all[i] >= 0 && all[i] < (int64_t)times * job_size);
    CHECK_EQUAL(seen[all[i]]++, 0);
  }
  CHECK_MPI(weft_counter_read(counter, 0, &before));
  CHECK_EQUAL(before, (int64_t)times * job_size);
  free(tickets);
  free(seen);
  free(all);
}

/* Half of the increments by compare-swap, half by fetch-add, on one number. */
static void mixed(weft_counter counter, int times)
{
  int64_t expected = 0, found;
  for (int i = 0; i < times; ++i) {
    if (i % 2) {
      CHECK_MPI(weft_counter_fetch_add(counter, 1, 3, NULL));
      continue;
    }
    CHECK_MPI(weft_counter_compare_swap(counter, 1, expected, expected + 3, &found));
    while (found != expected) {
      expected = found;
      CHECK_MPI(weft_counter_compare_swap(counter, 1, expected, expected + 3, &found));
    }
    expected += 3;
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  CHECK_MPI(weft_counter_read(counter, 1, &found));
  CHECK_EQUAL(found, 3 * (int64_t)times * job_size);
}

/* A chain of swaps loses nothing: every value put in comes out once, or is still there. */
static void swaps(weft_counter counter, int times)
{
  int64_t sums[2] = {0, 0}, totals[2], got;
  for (int i = 0; i < times; ++i) {
    const int64_t value = (int64_t)my_rank * times + i + 1;
    CHECK_MPI(weft_counter_swap(counter, 2, value, &got));
    sums[0] += value;
    sums[1] += got;
  }
  CHECK_MPI(MPI_Allreduce(sums, totals, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
  CHECK_MPI(weft_counter_read(counter, 2, &got));
  CHECK_EQUAL(totals[1] + got, totals[0]);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 2000;
  const char* way = argc > 2 ? argv[2] : "";
  for (int home = 0; home < job_size; ++home) {
    weft_counter counter;
    weft_home where;
    CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, home, 3, 0, &counter));
    CHECK_MPI(weft_counter_home(counter, &where));
    CHECK_EQUAL(where.rank, home);
    CHECK_EQUAL(where.count, 3);
    if (*way && my_rank != home) CHECK(strcmp(where.way, way) == 0);
    increments(counter, times);
    mixed(counter, times);
    swaps(counter, times);
    CHECK_MPI(weft_counter_free(&counter));
    CHECK(counter == WEFT_COUNTER_NULL);
  }
  return check_end();
}
