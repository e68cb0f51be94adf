/* Many objects, on subgroups whose communicator is freed before, freed in another order or left to Finalize; wrong arguments are
 * errors of their class on the object's communicator; a full array; what weft says about peers. */
#include "../check.h"
#include <weft.h>

static void arguments(void)
{
  weft_counter counter = (weft_counter)&counter, good;
  weft_lock lock;
  int64_t value;
  int outcome;
  CHECK_CLASS(weft_counter_create(MPI_COMM_WORLD, job_size, 1, 0, &counter), MPI_ERR_RANK);
  CHECK(counter == WEFT_COUNTER_NULL);
  CHECK_CLASS(weft_counter_create(MPI_COMM_WORLD, -1, 1, 0, &counter), MPI_ERR_RANK);
  CHECK_CLASS(weft_counter_create(MPI_COMM_WORLD, 0, 0, 0, &counter), MPI_ERR_COUNT);
  CHECK_CLASS(weft_counter_create(MPI_COMM_WORLD, 0, WEFT_COUNTER_MAX_COUNT + 1, 0, &counter), MPI_ERR_COUNT);
  CHECK_CLASS(weft_counter_create(MPI_COMM_WORLD, 0, 1, 0, NULL), MPI_ERR_ARG);
  CHECK_CLASS(weft_counter_create(MPI_COMM_NULL, 0, 1, 0, &counter), MPI_ERR_COMM);
  CHECK_CLASS(weft_counter_read(WEFT_COUNTER_NULL, 0, &value), MPI_ERR_ARG);
  CHECK_CLASS(weft_counter_free(&counter), MPI_ERR_ARG);
  CHECK_CLASS(weft_lock_try(WEFT_LOCK_NULL, &outcome), MPI_ERR_ARG);
  CHECK_CLASS(weft_lock_create(MPI_COMM_WORLD, job_size, 0, &lock), MPI_ERR_RANK);
  if (job_size > 1) {
    CHECK_CLASS(weft_counter_create(MPI_COMM_WORLD, 0, 1, my_rank == 1, &counter), MPI_ERR_NOT_SAME);
    CHECK_CLASS(weft_lock_create(MPI_COMM_WORLD, my_rank == 0, 0, &lock), MPI_ERR_NOT_SAME);
  }
  CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, 0, 4, 0, &good));
  CHECK_CLASS(weft_counter_fetch_add(good, 4, 1, &value), MPI_ERR_ARG);
  CHECK_CLASS(weft_counter_fetch_add(good, -1, 1, &value), MPI_ERR_ARG);
  CHECK_CLASS(weft_counter_read(good, 0, NULL), MPI_ERR_ARG);
  CHECK_CLASS(weft_counter_compare_swap(good, 0, 1, 2, NULL), MPI_ERR_ARG);
  CHECK_CLASS(weft_counter_wait(good, 0, 9, 1, 0, &value, &outcome), MPI_ERR_ARG);
  CHECK_CLASS(weft_counter_wait(good, 0, WEFT_EQUAL, 1, 0, &value, NULL), MPI_ERR_ARG);
  CHECK_CLASS(weft_lock_try((weft_lock)good, &outcome), MPI_ERR_ARG);
  CHECK_MPI(weft_counter_fetch_add(good, 3, 1, NULL));
  weft_counter stale = good;
  CHECK_MPI(weft_counter_free(&good));
  CHECK_CLASS(weft_counter_read(stale, 0, &value), MPI_ERR_ARG);
}

static void subgroups(void)
{
  enum { many = 20 };
  MPI_Comm half;
  weft_counter counters[many];
  weft_lock lock;
  int rank, size;
  int64_t value;
  CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, -my_rank, &half));
  CHECK_MPI(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN));
  CHECK_MPI(MPI_Comm_rank(half, &rank));
  CHECK_MPI(MPI_Comm_size(half, &size));
  for (int i = 0; i < many; ++i) CHECK_MPI(weft_counter_create(half, i % size, i + 1, i, &counters[i]));
  CHECK_MPI(weft_lock_create(half, size - 1, 0, &lock));
  CHECK_MPI(MPI_Comm_free(&half));
  for (int i = 0; i < many; ++i) CHECK_MPI(weft_counter_fetch_add(counters[i], i, rank + 1, NULL));
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < many; ++i) {
    CHECK_MPI(weft_counter_read(counters[i], i, &value));
    CHECK_EQUAL(value, i + size * (size + 1) / 2);
  }
  CHECK_MPI(weft_lock_acquire(lock, WEFT_NO_LIMIT, NULL));
  CHECK_MPI(weft_lock_release(lock));
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = many; i-- > 2;) CHECK_MPI(weft_counter_free(&counters[i]));     /* two and the lock are left to Finalize */
}

static void large(int count)
{
  weft_counter counter;
  int64_t value, sum = 0;
  CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, 0, count, 1, &counter));
  for (int i = my_rank; i < count; i += job_size) CHECK_MPI(weft_counter_fetch_add(counter, i, i, NULL));
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < count; ++i) {
    CHECK_MPI(weft_counter_read(counter, i, &value));
    sum += value;
  }
  CHECK_EQUAL(sum, (int64_t)count * (count + 1) / 2);
  CHECK_MPI(weft_counter_free(&counter));
}

static void peers(void)
{
  weft_peer peer;
  int pulls = 0;
  for (int rank = 0; rank < job_size; ++rank) {
    CHECK_MPI(weft_peer_info(MPI_COMM_WORLD, rank, &peer));
    CHECK(peer.fabric[0] && peer.reason[0] && strchr(peer.paradigm, '-'));
    CHECK_EQUAL(strcmp(peer.fabric, "self") == 0, rank == my_rank);
    pulls |= strstr(peer.paradigm, "read") != NULL;
  }
  CHECK_CLASS(weft_peer_info(MPI_COMM_WORLD, job_size, &peer), MPI_ERR_RANK);
  CHECK_CLASS(weft_peer_info(MPI_COMM_WORLD, 0, NULL), MPI_ERR_ARG);
  CHECK(pulls || weft_wasted_reads() == 0);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  arguments();
  subgroups();
  large(argc > 1 ? atoi(argv[1]) : 5000);
  peers();
  return check_end();
}
