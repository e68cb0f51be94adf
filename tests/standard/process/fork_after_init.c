/* fork, exit handlers of a child, system() and popen() with messages in flight: nothing is said, the data is right, the
 * child changes nothing outside itself, and Finalize ends (FK01). */
#include "../check.h"
#include <sys/wait.h>
#include <unistd.h>

enum { bytes = 4 << 20 };

static void run_children(char* sent, char* got)
{
  fflush(NULL);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) { /* scribbles on its own copies and leaves by exit, handlers and all */
    memset(sent, 0xEE, bytes);
    memset(got, 0xEE, bytes);
    exit(7);
  }
  int state = 0;
  CHECK(waitpid(child, &state, 0) == child);
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 7);
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(system("true"), 0);
  FILE* pipe = popen("echo word", "r");
  char word[20] = "";
  CHECK(pipe != NULL && fgets(word, sizeof word, pipe) != NULL);
  CHECK(strcmp(word, "word\n") == 0);
  CHECK_EQUAL(pclose(pipe), 0);
}

int main(int argc, char** argv)
{
  MPI_Request requests[2];
  check_begin(&argc, &argv);
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  char *sent = check_allocate(bytes), *got = check_allocate(bytes);
  for (int round = 0; round < 3; ++round) {
    pattern_fill(sent, bytes, my_rank + round);
    memset(got, 0, bytes);
    CHECK_MPI(MPI_Irecv(got, bytes, MPI_BYTE, from, round, MPI_COMM_WORLD, &requests[0]));
    CHECK_MPI(MPI_Isend(sent, bytes, MPI_BYTE, to, round, MPI_COMM_WORLD, &requests[1]));
    run_children(sent, got);
    CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_PATTERN(got, bytes, from + round);
    CHECK_PATTERN(sent, bytes, my_rank + round);
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  free(sent);
  free(got);
  return check_end();
}
