/* Each thread has its own communicator and runs collectives on it, blocking and not, while the others do the same; then
 * the threads duplicate and split their own communicators at once. Argument: rounds. */
#include "team.h"

enum { threads = 4 };
static MPI_Comm comms[threads];
static int rounds;

static void collectives(int number)
{
  for (int i = 0; i < rounds; ++i) {
    MPI_Request request;
    int mine = my_rank + i + number, sum = -1, root_value = my_rank == i % job_size ? 1000 * number + i : -1, later = -1;
    CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[number]));
    CHECK_EQUAL(sum, job_size * (job_size - 1) / 2 + job_size * (i + number));
    CHECK_MPI(MPI_Iallreduce(&mine, &later, 1, MPI_INT, MPI_MAX, comms[number], &request));
    CHECK_MPI(MPI_Bcast(&root_value, 1, MPI_INT, i % job_size, comms[number]));
    CHECK_EQUAL(root_value, 1000 * number + i);
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(later, job_size - 1 + i + number);
    if (i % 10 == 0) CHECK_MPI(MPI_Barrier(comms[number]));
  }
}

static void creations(int number)
{
  for (int i = 0; i < rounds / 10; ++i) {
    MPI_Comm copy, half;
    int one = 1, sum = 0;
    CHECK_MPI(MPI_Comm_dup(comms[number], &copy));
    CHECK_MPI(MPI_Comm_split(copy, my_rank % 2, 0, &half));
    CHECK_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half));
    CHECK_EQUAL(sum, my_rank % 2 ? job_size / 2 : (job_size + 1) / 2);
    CHECK_MPI(MPI_Comm_free(&half));
    CHECK_MPI(MPI_Comm_free(&copy));
  }
}

int main(int argc, char** argv)
{
  check_begin_level(&argc, &argv, MPI_THREAD_MULTIPLE);
  rounds = argc > 1 ? atoi(argv[1]) : 300;
  for (int i = 0; i < threads; ++i) CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
  run_team(threads, collectives);
  run_team(threads, creations);
  for (int i = 0; i < threads; ++i) CHECK_MPI(MPI_Comm_free(&comms[i]));
  return check_end();
}
