/* Threads of every rank share one counter and one lock: sums are exact, one holder at a time. Argument: operations a thread. */
#include "../check.h"
#include <pthread.h>
#include <weft.h>

enum { threads = 3 };
static int times;
static weft_counter counter;
static weft_lock lock;

static void* work(void* unused)
{
  (void)unused;
  for (int i = 0; i < times; ++i) {
    int64_t value;
    int outcome = WEFT_LOCK_TAKEN;
    CHECK_MPI(weft_counter_fetch_add(counter, 0, 1, NULL));
    if (i % 3 == 0) CHECK_MPI(weft_lock_acquire(lock, 1e-5, &outcome));
    else CHECK_MPI(weft_lock_acquire(lock, WEFT_NO_LIMIT, &outcome));
    if (outcome == WEFT_LOCK_BUSY) continue;
    CHECK_MPI(weft_counter_read(counter, 1, &value));
    CHECK_MPI(weft_counter_swap(counter, 1, value + 1, NULL));
    CHECK_MPI(weft_counter_fetch_add(counter, 2, 1, NULL));
    CHECK_MPI(weft_lock_release(lock));
  }
  return NULL;
}

int main(int argc, char** argv)
{
  pthread_t team[threads];
  int64_t added, locked, counted;
  check_begin_level(&argc, &argv, MPI_THREAD_MULTIPLE);
  times = argc > 1 ? atoi(argv[1]) : 150;
  CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, job_size - 1, 3, 0, &counter));
  CHECK_MPI(weft_lock_create(MPI_COMM_WORLD, 0, 0, &lock));
  for (int i = 0; i < threads; ++i) CHECK(pthread_create(&team[i], NULL, work, NULL) == 0);
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(team[i], NULL) == 0);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  CHECK_MPI(weft_counter_read(counter, 0, &added));
  CHECK_EQUAL(added, (int64_t)times * threads * job_size);
  CHECK_MPI(weft_counter_read(counter, 1, &locked));
  CHECK_MPI(weft_counter_read(counter, 2, &counted));
  CHECK_EQUAL(locked, counted);
  CHECK_MPI(weft_lock_free(&lock));
  CHECK_MPI(weft_counter_free(&counter));
  return check_end();
}
