/* One holder at a time, in the order of asking: an unprotected read, pause and write under the lock loses nothing; try and time
 * limits in between leave no gap and no lost turn; owner tells a holder. Argument: rounds a rank. */
#include "../check.h"
#include <unistd.h>
#include <weft.h>

/* Changes a number in two steps that only a lock makes one. */
static void step(weft_counter counter)
{
  int64_t value, inside;
  CHECK_MPI(weft_counter_fetch_add(counter, 1, 1, &inside));
  CHECK_EQUAL(inside, 0);
  CHECK_MPI(weft_counter_read(counter, 0, &value));
  CHECK_MPI(weft_counter_swap(counter, 0, value + 1, NULL));
  CHECK_MPI(weft_counter_fetch_add(counter, 1, -1, &inside));
  CHECK_EQUAL(inside, 1);
}

static int64_t hammer(weft_lock lock, weft_counter counter, int rounds)
{
  unsigned state = (unsigned)my_rank + 17;
  int64_t steps = 0;
  for (int i = 0; i < rounds; ++i) {
    int outcome = WEFT_LOCK_TAKEN, owner = -5;
    switch (random_next(&state) % 4) {
      case 0: CHECK_MPI(weft_lock_try(lock, &outcome)); break;
      case 1: CHECK_MPI(weft_lock_acquire(lock, 1e-6 * (random_next(&state) % 200), &outcome)); break;
      default: CHECK_MPI(weft_lock_acquire(lock, WEFT_NO_LIMIT, &outcome)); break;
    }
    if (outcome == WEFT_LOCK_BUSY) continue;
    CHECK_EQUAL(outcome, WEFT_LOCK_TAKEN);
    step(counter);
    ++steps;
    if (i % 8 == 0) {
      CHECK_MPI(weft_lock_owner(lock, &owner));
      CHECK_EQUAL(owner, my_rank);
    }
    CHECK_MPI(weft_lock_release(lock));
  }
  return steps;
}

/* While rank 0 holds it, the others ask one after the other; they get it in that order. */
static void in_order(weft_lock lock, weft_counter counter)
{
  int reached;
  int64_t place;
  if (my_rank == 0) CHECK_MPI(weft_lock_acquire(lock, WEFT_NO_LIMIT, NULL));
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank == 0) {
    for (int rank = 1; rank < job_size; ++rank) {
      CHECK_MPI(weft_counter_fetch_add(counter, 2, 1, NULL));      /* rank's turn to ask */
      usleep(100000);                                               /* it will have asked by then */
    }
    CHECK_MPI(weft_lock_release(lock));
  } else {
    CHECK_MPI(weft_counter_wait(counter, 2, WEFT_AT_LEAST, my_rank, WEFT_NO_LIMIT, NULL, &reached));
    if (my_rank == 2) {                                             /* gives up, and resumes its place */
      int outcome;
      CHECK_MPI(weft_lock_acquire(lock, 0.01, &outcome));
      CHECK_EQUAL(outcome, WEFT_LOCK_BUSY);
    }
    CHECK_MPI(weft_lock_acquire(lock, WEFT_NO_LIMIT, NULL));
    CHECK_MPI(weft_counter_fetch_add(counter, 3, 1, &place));
    CHECK_MPI(weft_lock_release(lock));
    CHECK_EQUAL(place, my_rank - 1);
  }
}

int main(int argc, char** argv)
{
  weft_lock lock;
  weft_counter counter;
  int owner, outcome;
  check_begin(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 500;
  CHECK_MPI(weft_lock_create(MPI_COMM_WORLD, job_size / 2, 0, &lock));
  CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, 0, 4, 0, &counter));
  CHECK_MPI(weft_lock_owner(lock, &owner));
  CHECK_EQUAL(owner, MPI_PROC_NULL);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  int64_t steps = hammer(lock, counter, rounds), all, value;
  CHECK_MPI(MPI_Allreduce(&steps, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
  CHECK_MPI(weft_counter_read(counter, 0, &value));
  CHECK_EQUAL(value, all);
  CHECK(all >= job_size);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  in_order(lock, counter);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  CHECK_MPI(weft_lock_owner(lock, &owner));
  CHECK_EQUAL(owner, MPI_PROC_NULL);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank == 0) {
    CHECK_MPI(weft_lock_try(lock, &outcome));
    CHECK_EQUAL(outcome, WEFT_LOCK_TAKEN);
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  CHECK_MPI(weft_lock_owner(lock, &owner));
  CHECK_EQUAL(owner, 0);
  if (my_rank != 0) {
    CHECK_MPI(weft_lock_try(lock, &outcome));
    CHECK_EQUAL(outcome, WEFT_LOCK_BUSY);
    CHECK_CLASS(weft_lock_release(lock), MPI_ERR_OTHER);
  } else {
    CHECK_CLASS(weft_lock_acquire(lock, 1, &outcome), MPI_ERR_OTHER);
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank == 0) CHECK_MPI(weft_lock_release(lock));
  CHECK_MPI(weft_counter_free(&counter));
  CHECK_MPI(weft_lock_free(&lock));
  return check_end();
}
