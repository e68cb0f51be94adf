/* What may be asked before, during and after: flags, versions, thread level, time, names. The argument chooses the level. */
#include "../check.h"

int main(int argc, char** argv)
{
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  const int wanted = levels[argc > 1 ? atoi(argv[1]) % 4 : 0];
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int flag = -1, version, subversion, length, provided, level, arguments = argc;
  double start;
  MPI_Initialized(&flag);
  CHECK(!flag);
  MPI_Finalized(&flag);
  CHECK(!flag);
  CHECK_MPI(MPI_Get_version(&version, &subversion));
  CHECK_EQUAL(version, MPI_VERSION);
  CHECK_EQUAL(subversion, MPI_SUBVERSION);
  CHECK_MPI(MPI_Get_library_version(text, &length));
  CHECK(length > 0 && length == (int)strlen(text));

  CHECK_MPI(MPI_Init_thread(&argc, &argv, wanted, &provided));
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  CHECK_EQUAL(argc, arguments);
  CHECK(provided >= wanted);
  CHECK_MPI(MPI_Query_thread(&level));
  CHECK_EQUAL(level, provided);
  CHECK_MPI(MPI_Is_thread_main(&flag));
  CHECK(flag);
  MPI_Initialized(&flag);
  CHECK(flag);
  MPI_Finalized(&flag);
  CHECK(!flag);
  CHECK_MPI(MPI_Get_processor_name(text, &length));
  CHECK(length > 0 && length == (int)strlen(text));
  start = MPI_Wtime();
  CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
  for (double before = start, now; (now = MPI_Wtime()) - start < 0.01; before = now) CHECK(now >= before);
  CHECK_MPI(MPI_Pcontrol(1, "an argument", 2));

  CHECK_MPI(MPI_Finalize());
  MPI_Initialized(&flag);
  CHECK(flag);
  MPI_Finalized(&flag);
  CHECK(flag);
  CHECK_MPI(MPI_Get_version(&version, &subversion));
  return 0;
}
