/* Four threads a rank exchange with their counterparts, each on its own tag: blocking, then posted and tested (PP12).
 * Argument: exchanges a thread. */
#include "team.h"

static int exchanges;

static void blocking(int number)
{
  for (int i = 0; i < exchanges; ++i) {
    int sent = i * 10 + number, got = -1;
    CHECK_MPI(MPI_Sendrecv(&sent, 1, MPI_INT, my_rank ^ 1, number, &got, 1, MPI_INT, my_rank ^ 1, number, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE));
    CHECK_EQUAL(got, sent);
  }
}

static void tested(int number)
{
  enum { window = 4, width = 300 };
  static int sent[team_most][window][width], got[team_most][window][width];
  for (int i = 0; i < exchanges / window; ++i) {
    MPI_Request requests[2 * window];
    int done = 0;
    for (int k = 0; k < window; ++k) {
      const int elements = (i + k) % 5 ? 1 + k : width;
      for (int j = 0; j < elements; ++j) sent[number][k][j] = i * 100 + k * 10 + j;
      CHECK_MPI(MPI_Irecv(got[number][k], width, MPI_INT, my_rank ^ 1, 100 + number, MPI_COMM_WORLD, &requests[k]));
    }
    for (int k = 0; k < window; ++k) {
      const int elements = (i + k) % 5 ? 1 + k : width;
      CHECK_MPI(MPI_Isend(sent[number][k], elements, MPI_INT, my_rank ^ 1, 100 + number, MPI_COMM_WORLD, &requests[window + k]));
    }
    while (!done) CHECK_MPI(MPI_Testall(2 * window, requests, &done, MPI_STATUSES_IGNORE));
    for (int k = 0; k < window; ++k) {
      const int elements = (i + k) % 5 ? 1 + k : width;
      for (int j = 0; j < elements; ++j) CHECK_EQUAL(got[number][k][j], i * 100 + k * 10 + j);
    }
  }
}

/* Each thread's partner is another thread of the same rank: one waits in the library for what the other must send. */
static void within_the_rank(int number)
{
  const int partner = number ^ 1;
  for (int i = 0; i < exchanges / 4; ++i) {
    int value = i;
    if (number < partner) {
      CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, my_rank, 200 + number, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_EQUAL(value, i + 1);
      CHECK_MPI(MPI_Ssend(&i, 1, MPI_INT, my_rank, 200 + partner, MPI_COMM_WORLD));
    } else {
      value = i + 1;
      CHECK_MPI(MPI_Ssend(&value, 1, MPI_INT, my_rank, 200 + partner, MPI_COMM_WORLD));
      CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, my_rank, 200 + number, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_EQUAL(value, i);
    }
  }
}

int main(int argc, char** argv)
{
  check_begin_level(&argc, &argv, MPI_THREAD_MULTIPLE);
  exchanges = argc > 1 ? atoi(argv[1]) : 2000;
  if ((my_rank ^ 1) < job_size) {
    run_team(4, blocking);
    run_team(4, tested);
  }
  run_team(4, within_the_rank);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  return check_end();
}
