/* A lock whose holder dies, in a job that goes on: each survivor gets it, the first is told that it was recovered. The home is
 * the holder itself (argument "home") or a survivor; with "queue" a rank that waits dies as well. Started by
 * lock_recovery.py, since a launcher ends a job whose rank dies. Survivors leave without MPI_Finalize, which the dead will not
 * enter. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <weft.h>

static int rank, size;

static void die(void)
{
  fflush(NULL);
  kill(getpid(), SIGKILL);
  pause();
}

int main(int argc, char** argv)
{
  const char* how = argc > 1 ? argv[1] : "";
  const int queue = strcmp(how, "queue") == 0, dead = queue ? 2 : 1;
  int outcome = 0, owner = -7, reached = 0;
  int64_t place = 0;
  weft_lock lock;
  weft_counter counter;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  weft_lock_create(MPI_COMM_WORLD, strcmp(how, "home") == 0 ? 0 : size - 1, 0, &lock);
  weft_counter_create(MPI_COMM_WORLD, size - 1, 2, 0, &counter);
  if (rank == 0) {
    weft_lock_acquire(lock, WEFT_NO_LIMIT, NULL);
    weft_counter_fetch_add(counter, 0, 1, NULL);
    if (queue) weft_counter_wait(counter, 0, WEFT_AT_LEAST, 2, WEFT_NO_LIMIT, NULL, &reached);
    usleep(200000);                              /* the others wait, or are about to */
    die();
  }
  weft_counter_wait(counter, 0, WEFT_AT_LEAST, 1, WEFT_NO_LIMIT, NULL, &reached);
  if (queue && rank == 1) {
    const struct itimerval soon = {{0, 0}, {0, 100000}};
    weft_lock_acquire(lock, 0.001, &outcome);    /* a place in the queue, given up and resumed, by one who then dies */
    weft_counter_fetch_add(counter, 0, 1, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    weft_lock_acquire(lock, WEFT_NO_LIMIT, NULL);
  }
  if (queue) weft_counter_wait(counter, 0, WEFT_AT_LEAST, 2, WEFT_NO_LIMIT, NULL, &reached);
  weft_lock_acquire(lock, 40, &outcome);
  weft_lock_owner(lock, &owner);
  weft_counter_fetch_add(counter, 1, 1, &place);
  printf("rank %d is number %d: %s, owner %d\n", rank, (int)place,
         outcome == WEFT_LOCK_RECOVERED ? "recovered" : outcome == WEFT_LOCK_TAKEN ? "taken" : "busy", owner);
  fflush(stdout);
  weft_lock_release(lock);
  weft_counter_wait(counter, 1, WEFT_AT_LEAST, size - dead, 40, NULL, &reached);
  if (rank == size - 1) fclose(fopen("over", "w"));
  fflush(NULL);
  _exit(0);
}
