/* Threads sleep in the library for messages that other threads of the same ranks send much later: none is forgotten,
 * whoever of them happened to poll when the message came. */
#include "team.h"
#include <unistd.h>

enum { rounds = 30, waiters = 3 };

static void wait_or_send(int number)
{
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  for (int round = 0; round < rounds; ++round) {
    int value = round * 10 + number;
    if (number < waiters) {
      CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, from, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_EQUAL(value, round * 10 + number);
    } else {
      usleep(3000); /* long enough for the waiters to have gone to sleep */
      for (int waiter = waiters - 1; waiter >= 0; --waiter) {
        value = round * 10 + (waiter + round) % waiters;
        CHECK_MPI(MPI_Send(&value, 1, MPI_INT, to, (waiter + round) % waiters, MPI_COMM_WORLD));
      }
    }
  }
}

int main(int argc, char** argv)
{
  check_begin_level(&argc, &argv, MPI_THREAD_MULTIPLE);
  run_team(waiters + 1, wait_or_send);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  return check_end();
}
