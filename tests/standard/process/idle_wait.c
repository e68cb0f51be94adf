/* Waiting costs no CPU: rank 0 sleeps while the others wait in Recv, Barrier, Wait, Probe, Bcast and Allreduce (OS01).
 * Arguments: seconds of sleep, allowed CPU share in percent (generous: the machine is shared). */
#include "../check.h"
#include <sys/resource.h>
#include <unistd.h>

static double cpu_seconds(void)
{
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void wait_in(int kind)
{
  int value = my_rank, result = 0;
  MPI_Request request;
  switch (kind) {
    case 0:
      for (int to = 1; to < job_size && my_rank == 0; ++to) CHECK_MPI(MPI_Send(&value, 1, MPI_INT, to, 1, MPI_COMM_WORLD));
      if (my_rank) CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      break;
    case 1: CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); break;
    case 2:
      CHECK_MPI(MPI_Ibarrier(MPI_COMM_WORLD, &request));
      CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
      break;
    case 3:
      for (int to = 1; to < job_size && my_rank == 0; ++to) CHECK_MPI(MPI_Send(&value, 1, MPI_INT, to, 2, MPI_COMM_WORLD));
      if (my_rank) {
        CHECK_MPI(MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      }
      break;
    case 4: CHECK_MPI(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD)); break;
    default: CHECK_MPI(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)); break;
  }
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const double seconds = argc > 1 ? atof(argv[1]) : 1, allowed = argc > 2 ? atof(argv[2]) : 20;
  for (int kind = 0; kind < 6; ++kind) {
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const double before = cpu_seconds();
    if (my_rank == 0) usleep((useconds_t)(seconds * 1e6));
    wait_in(kind);
    const double used = cpu_seconds() - before;
    if (used > seconds * allowed / 100) {
      char text[120];
      snprintf(text, sizeof text, "kind %d: %.3f s of CPU in a wait of %.1f s, allowed %.3f s", kind, used, seconds, seconds * allowed / 100);
      check_fail(__FILE__, __LINE__, text);
    }
  }
  return check_end();
}
