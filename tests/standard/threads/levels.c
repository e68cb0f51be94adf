/* Thread levels: what is provided is what was asked for, can be asked again, and each thread knows whether it is main. */
#include "../check.h"
#include <pthread.h>

static void* other_thread(void* unused)
{
  int is_main = -1;
  (void)unused;
  CHECK_MPI(MPI_Is_thread_main(&is_main));
  CHECK(!is_main);
  return NULL;
}

int main(int argc, char** argv)
{
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  const int wanted = levels[argc > 1 ? atoi(argv[1]) : 3];
  int provided = -1, asked = -1, is_main = -1, flag = -1;
  pthread_t thread;
  MPI_Initialized(&flag);
  if (flag) return 2;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  CHECK(MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED);
  CHECK(MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
  CHECK(provided >= wanted);
  CHECK_MPI(MPI_Query_thread(&asked));
  CHECK_EQUAL(asked, provided);
  CHECK_MPI(MPI_Is_thread_main(&is_main));
  CHECK(is_main);
  if (provided == MPI_THREAD_MULTIPLE) {
    CHECK_EQUAL(pthread_create(&thread, NULL, other_thread, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
  }
  CHECK_MPI(MPI_Initialized(&flag));
  CHECK(flag);
  CHECK_MPI(MPI_Finalized(&flag));
  CHECK(!flag);
  MPI_Finalize();
  MPI_Finalized(&flag);
  return flag ? 0 : 3;
}
