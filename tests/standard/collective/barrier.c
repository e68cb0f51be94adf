/* Barrier: nobody leaves before the last has entered (by one machine's monotonic clock), in every form. */
#include "forms.h"
#include <time.h>
#include <unistd.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  for (int form = 0; form < form_count; ++form)
    for (int late = 0; late < job_size; ++late) {
      double entered, left, last_entry, first_leave;
      if (my_rank == late) usleep(20000);
      entered = now();
      COLLECTIVE(form, Barrier, Ibarrier, MPI_COMM_WORLD);
      left = now();
      CHECK_MPI(MPI_Allreduce(&entered, &last_entry, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
      CHECK_MPI(MPI_Allreduce(&left, &first_leave, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD));
      CHECK(first_leave >= last_entry);
    }
  /* a non-blocking barrier stays open as long as one rank stays away */
  MPI_Request request;
  int done = 0, go = 0;
  if (my_rank == 0 && job_size > 1) {
    CHECK_MPI(MPI_Recv(&go, 1, MPI_INT, job_size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  } else {
    CHECK_MPI(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    for (int i = 0; i < 1000 && my_rank == job_size - 1 && job_size > 1; ++i) {
      CHECK_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      CHECK(!done);
    }
    if (my_rank == job_size - 1 && job_size > 1) CHECK_MPI(MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
  }
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  return check_end();
}
