/* Rank 1 is killed by SIGKILL in the middle of what its first argument names, the number of microseconds of the second after it began;
 * rank 0 is at the other end of it, the others wait for rank 0. Nobody ends by itself. */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <weft.h>

enum { small = 64, middling = 3000, large = 3 << 20 };

static char* data;
static int rank;

static void die(int number)
{
  (void)number;
  (void)kill(getpid(), SIGKILL);
}

static void send_for_ever(int to, int count, MPI_Datatype type)
{
  for (;;) MPI_Send(data, count, type, to, 1, MPI_COMM_WORLD);
}

static void receive_for_ever(int from, int count, MPI_Datatype type)
{
  for (;;) MPI_Recv(data, count, type, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Between ranks 0 and 1, towards 1 if `in`. */
static void stream(int in, int count, MPI_Datatype type)
{
  if (rank == in) receive_for_ever(1 - in, count, type);
  else send_for_ever(in, count, type);
}

static void add_for_ever(int home)
{
  weft_counter counter;
  int64_t before;
  weft_counter_create(MPI_COMM_WORLD, home, 1, 0, &counter);
  while (rank != home && rank < 2) weft_counter_fetch_add(counter, 0, 1, &before);
  for (;;) usleep(1000);
}

static void run(const char* what)
{
  MPI_Datatype gaps;
  const int in = strncmp(what, "in-", 3) == 0;      /* towards the victim */
  const char* kind = strchr(what, '-') != NULL ? strchr(what, '-') + 1 : what;
  MPI_Type_vector(large / 8, 4, 8, MPI_BYTE, &gaps);
  MPI_Type_commit(&gaps);
  if (strcmp(kind, "atomic") == 0) add_for_ever(in);
  if (rank > 1) receive_for_ever(0, 1, MPI_BYTE);
  if (strcmp(kind, "opening") == 0 && in) { usleep(1000); send_for_ever(1, small, MPI_BYTE); }
  if (strcmp(kind, "opening") == 0) receive_for_ever(1 - rank, small, MPI_BYTE);
  if (strcmp(kind, "idle") == 0) {
    char byte = 0;
    MPI_Sendrecv_replace(&byte, 1, MPI_BYTE, 1 - rank, 2, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive_for_ever(1 - rank, small, MPI_BYTE);
  }
  if (strcmp(kind, "eager") == 0) stream(in, small, MPI_BYTE);
  if (strcmp(kind, "middling") == 0) stream(in, middling, MPI_BYTE);
  if (strcmp(kind, "get") == 0) stream(in, 2 * large, MPI_BYTE);
  if (strcmp(kind, "fragments") == 0) stream(in, 1, gaps);
  if (strcmp(kind, "credit") == 0 && rank == in) for (;;) usleep(1000);
  if (strcmp(kind, "credit") == 0) send_for_ever(in, middling, MPI_BYTE);
}

int main(int argc, char** argv)
{
  const long after_us = argc > 2 ? atol(argv[2]) : 0;
  const struct itimerval once = {{0, 0}, {after_us / 1000000, after_us % 1000000}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  data = calloc(2, large);
  (void)signal(SIGALRM, die);
  if (rank == 1 && setitimer(ITIMER_REAL, &once, NULL) == 0) {}
  run(argc > 1 ? argv[1] : "out-idle");
  return 1;
}
