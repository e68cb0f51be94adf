/* Init and Finalize leave signal actions and mask, locale, environment's C parts, stdio modes, file mask, working folder
 * and floating-point state as they were; CPU affinity does not change inside the process (FK03). */
#include "../check.h"
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { signals = 65 };

typedef struct {
  struct sigaction actions[signals];
  sigset_t blocked;
  cpu_set_t cpus;
  char locale[200], folder[4096];
  mode_t file_mask;
  int rounding, priority;
  long open_modes[3];
} State;

static void look(State* state)
{
  memset(state, 0, sizeof *state);
  for (int i = 1; i < signals; ++i) sigaction(i, NULL, &state->actions[i]);
  sigprocmask(SIG_BLOCK, NULL, &state->blocked);
  sched_getaffinity(0, sizeof state->cpus, &state->cpus);
  snprintf(state->locale, sizeof state->locale, "%s", setlocale(LC_ALL, NULL));
  if (!getcwd(state->folder, sizeof state->folder)) state->folder[0] = 0;
  state->file_mask = umask(0);
  umask(state->file_mask);
  state->rounding = fegetround();
  for (int fd = 0; fd < 3; ++fd) {
    struct stat about;
    state->open_modes[fd] = fstat(fd, &about) == 0 ? (long)about.st_ino : -1;
  }
}

static void compare(const State* before, const State* after)
{
  for (int i = 1; i < signals; ++i) {
    if (before->actions[i].sa_handler != after->actions[i].sa_handler) CHECK_EQUAL(i, 0); /* names the signal */
    CHECK_EQUAL(after->actions[i].sa_flags, before->actions[i].sa_flags);
  }
  CHECK(memcmp(&before->blocked, &after->blocked, sizeof before->blocked) == 0);
  CHECK(CPU_EQUAL(&before->cpus, &after->cpus));
  CHECK(strcmp(before->locale, after->locale) == 0);
  CHECK(strcmp(before->folder, after->folder) == 0);
  CHECK_EQUAL(after->file_mask, before->file_mask);
  CHECK_EQUAL(after->rounding, before->rounding);
  for (int fd = 0; fd < 3; ++fd) CHECK_EQUAL(after->open_modes[fd], before->open_modes[fd]);
}

static void own_handler(int number)
{
  (void)number;
}

int main(int argc, char** argv)
{
  static State before, after;
  int sum = 0;
  struct sigaction mine;
  memset(&mine, 0, sizeof mine);
  mine.sa_handler = own_handler; /* one signal with a handler, the rest as inherited */
  sigaction(SIGUSR2, &mine, NULL);
  look(&before);
  check_begin(&argc, &argv);
  look(&after);
  compare(&before, &after);
  CHECK_MPI(MPI_Allreduce(&my_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  look(&after);
  compare(&before, &after);
  /* an ordinary terminal signal still ends a program: the default action stands */
  CHECK(after.actions[SIGHUP].sa_handler == SIG_DFL || after.actions[SIGHUP].sa_handler == SIG_IGN);
  MPI_Finalize();
  look(&after);
  for (int i = 1; i < signals; ++i)
    if (before.actions[i].sa_handler != after.actions[i].sa_handler) return 2;
  return 0;
}
