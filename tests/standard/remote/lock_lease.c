/* A holder that keeps the lock past its lease loses it to the next in line, who is told; its own release is an error; the order
 * behind it stays. */
#include "../check.h"
#include <unistd.h>
#include <weft.h>

int main(int argc, char** argv)
{
  weft_lock lock;
  weft_counter counter;
  int outcome, reached;
  int64_t place;
  check_begin(&argc, &argv);
  CHECK_CLASS(weft_lock_create(MPI_COMM_WORLD, 0, -1, &lock), MPI_ERR_ARG);
  CHECK_MPI(weft_lock_create(MPI_COMM_WORLD, 0, 0.2, &lock));
  CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, 0, 2, 0, &counter));
  if (my_rank == 0) CHECK_MPI(weft_lock_acquire(lock, WEFT_NO_LIMIT, NULL));
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank == 0) {
    CHECK_MPI(weft_counter_fetch_add(counter, 0, 1, NULL));
    CHECK_MPI(weft_counter_wait(counter, 0, WEFT_AT_LEAST, job_size, 60, NULL, &reached));    /* all others have had it */
    CHECK_EQUAL(reached, 1);
    CHECK_CLASS(weft_lock_release(lock), job_size > 1 ? MPI_ERR_OTHER : MPI_SUCCESS);
    CHECK_CLASS(weft_lock_release(lock), MPI_ERR_OTHER);
  } else {
    CHECK_MPI(weft_lock_acquire(lock, 60, &outcome));
    CHECK_MPI(weft_counter_fetch_add(counter, 0, 1, &place));
    CHECK_EQUAL(outcome, place == 1 ? WEFT_LOCK_RECOVERED : WEFT_LOCK_TAKEN);
    CHECK_MPI(weft_lock_release(lock));
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  /* try finds a lease that has run out, too */
  if (my_rank == 0) {
    CHECK_MPI(weft_lock_try(lock, &outcome));
    CHECK_EQUAL(outcome, WEFT_LOCK_TAKEN);
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank == job_size - 1 && my_rank != 0) {
    CHECK_MPI(weft_lock_try(lock, &outcome));
    CHECK_EQUAL(outcome, WEFT_LOCK_BUSY);
    for (int i = 0; i < 300 && outcome == WEFT_LOCK_BUSY; ++i) {
      usleep(100000);
      CHECK_MPI(weft_lock_try(lock, &outcome));
    }
    CHECK_EQUAL(outcome, WEFT_LOCK_RECOVERED);
    CHECK_MPI(weft_lock_release(lock));
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  CHECK_MPI(weft_counter_free(&counter));
  CHECK_MPI(weft_lock_free(&lock));
  return check_end();
}
