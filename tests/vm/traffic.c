/* Every rank exchanges messages of small, middle and large size with every other, and looks at each byte; collectives and a counter
 * between. Argument: rounds, 0 for without end. Rank 0 says "under way" after the first round, and "all right" at the end. */
#include "../standard/check.h"
#include <weft.h>

static const int sizes[] = {0, 8, 700, 5000, 300000};
enum { largest = 300000 };

static void exchange(unsigned char* sent, unsigned char* got, int round)
{
  for (int step = 1; step < job_size; ++step) {
    const int to = (my_rank + step) % job_size, from = (my_rank + job_size - step) % job_size;
    for (int i = 0; i < 5; ++i) {
      pattern_fill(sent, (size_t)sizes[i], round + my_rank + i);
      CHECK_MPI(MPI_Sendrecv(sent, sizes[i], MPI_BYTE, to, i, got, sizes[i], MPI_BYTE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_PATTERN(got, (size_t)sizes[i], round + from + i);
    }
  }
}

int main(int argc, char** argv)
{
  weft_counter counter;
  int64_t count = 0;
  check_begin(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  unsigned char *sent = check_allocate(largest), *got = check_allocate(largest);
  CHECK_MPI(weft_counter_create(MPI_COMM_WORLD, job_size - 1, 1, 0, &counter));
  for (int round = 0; rounds == 0 || round < rounds; ++round) {
    exchange(sent, got, round);
    CHECK_MPI(weft_counter_fetch_add(counter, 0, 1, NULL));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(weft_counter_read(counter, 0, &count));
    CHECK(count >= (int64_t)(round + 1) * job_size);
    if (round == 0 && my_rank == 0) {
      puts("under way");
      fflush(stdout);
    }
  }
  CHECK_MPI(weft_counter_free(&counter));
  free(sent);
  free(got);
  if (my_rank == 0) puts("all right");
  return check_end();
}
