/* Rank 0 sleeps in a receive from any source, which rank 1 ends by shared memory and rank 2 from another host, by turns. The sleep is
   seen here: the library's calls of epoll_pwait2(2) come to this file, and the last one before the message must have ended by an
   event and not by its time limit. A message may find rank 0 awake, between two sleeps: that round does not count. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 8, needed = 5 };

static int sleeps, last_sleep;

int epoll_pwait2(int fd, struct epoll_event* events, int most, const struct timespec* limit, const sigset_t* mask) {
  ++sleeps;
  last_sleep = (int)syscall(SYS_epoll_pwait2, fd, events, most, limit, mask, sizeof(unsigned long));
  return last_sleep;
}

int main(int argc, char** argv) {
  int rank, by_event[3] = {0, 0, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 2 * rounds; ++round) {
    const int sender = 1 + round % 2;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      int number = -1;
      MPI_Status status;
      const int before = sleeps;
      MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
      by_event[sender] += number == round && status.MPI_SOURCE == sender && sleeps > before && last_sleep > 0;
    } else if (rank == sender) {
      usleep(300000);
      MPI_Send(&round, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
  }
  if (rank == 0) printf("%s: of %d sleeps %d were ended by rank 1 and %d by rank 2\n",
                        by_event[1] >= needed && by_event[2] >= needed ? "right" : "wrong", rounds, by_event[1], by_event[2]);
  MPI_Finalize();
  return 0;
}
