/* A thread waits for an any-source receive; another cancels it. The wait returns, cancelled, and what comes later goes to
 * the next receive (PP05). */
#include "team.h"
#include <unistd.h>

static MPI_Request request;
static int value;

static void wait_or_cancel(int number)
{
  if (number == 0) {
    MPI_Request mine = request;
    MPI_Status status;
    int cancelled = 0;
    CHECK_MPI(MPI_Wait(&mine, &status));
    CHECK_MPI(MPI_Test_cancelled(&status, &cancelled));
    CHECK(cancelled);
  } else {
    MPI_Request theirs = request;
    usleep(20000);
    CHECK_MPI(MPI_Cancel(&theirs));
  }
}

int main(int argc, char** argv)
{
  int got = -1;
  check_begin_level(&argc, &argv, MPI_THREAD_MULTIPLE);
  for (int i = 0; i < 10; ++i) {
    value = 42;
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request));
    run_team(2, wait_or_cancel);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Sendrecv(&i, 1, MPI_INT, (my_rank + 1) % job_size, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQUAL(got, i);
    CHECK_EQUAL(value, 42);
  }
  return check_end();
}
