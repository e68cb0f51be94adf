/* 4 MiB both ways between all neighbours and 1 MiB through the collectives: run where single copy is denied, and where
 * /dev/shm is tiny (LA17, LA19). Argument: bytes of the collectives, default 1 MiB. */
#include "../check.h"

static void neighbours(void)
{
  const int bytes = 4 << 20, to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  char *sent = check_allocate((size_t)bytes), *got = check_allocate((size_t)bytes);
  for (int round = 0; round < 4; ++round) {
    pattern_fill(sent, (size_t)bytes, my_rank + round);
    CHECK_MPI(MPI_Sendrecv(sent, bytes, MPI_BYTE, to, 1, got, bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_PATTERN(got, (size_t)bytes, from + round);
  }
  free(sent);
  free(got);
}

static void collectives(int bytes)
{
  const size_t all = (size_t)bytes * (size_t)job_size;
  char *sent = check_allocate(all), *got = check_allocate(all);
  const int ints = bytes / (int)sizeof(int);
  for (int to = 0; to < job_size; ++to) pattern_fill(sent + (size_t)to * (size_t)bytes, (size_t)bytes, my_rank * 100 + to);
  CHECK_MPI(MPI_Alltoall(sent, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD));
  for (int from = 0; from < job_size; ++from) CHECK_PATTERN(got + (size_t)from * (size_t)bytes, (size_t)bytes, from * 100 + my_rank);
  CHECK_MPI(MPI_Allgather(sent, bytes, MPI_BYTE, got, bytes, MPI_BYTE, MPI_COMM_WORLD));
  for (int from = 0; from < job_size; ++from) CHECK_PATTERN(got + (size_t)from * (size_t)bytes, (size_t)bytes, from * 100);
  CHECK_MPI(MPI_Bcast(got, bytes, MPI_BYTE, job_size - 1, MPI_COMM_WORLD));
  int *in = (int*)(void*)sent, *out = (int*)(void*)got;
  for (int i = 0; i < ints; ++i) in[i] = my_rank + i;
  CHECK_MPI(MPI_Allreduce(in, out, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  for (int i = 0; i < ints; ++i) CHECK_EQUAL(out[i], job_size * (job_size - 1) / 2 + job_size * i);
  CHECK_MPI(MPI_Reduce(in, out, ints, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD));
  for (int i = 0; i < ints && my_rank == 0; ++i) CHECK_EQUAL(out[i], job_size - 1 + i);
  CHECK_MPI(MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
  for (int i = 0; i < ints; ++i) CHECK_EQUAL(in[i], my_rank + i);
  free(sent);
  free(got);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  neighbours();
  collectives(argc > 1 ? atoi(argv[1]) : 1 << 20);
  return check_end();
}
