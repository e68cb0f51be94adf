/* Every rank exchanges messages of growing size with every other and looks at each byte; then all leave. With an argument they do
   not: the last rank ends by SIGKILL while the others wait for it (kill), all wait for what never comes (wait), or exchange small
   or large messages without end (small, large), each after a line that says so. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char byte_of(int from, int to, size_t at) { return (unsigned char)((size_t)from * 31 + (size_t)to * 17 + at * 7 + at / 251); }

static int exchange(int rank, int peer, size_t bytes, unsigned char* out, unsigned char* in) {
  size_t at;
  for (at = 0; at < bytes; ++at) out[at] = byte_of(rank, peer, at);
  memset(in, 0, bytes);
  MPI_Sendrecv(out, (int)bytes, MPI_BYTE, peer, 3, in, (int)bytes, MPI_BYTE, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (at = 0; at < bytes; ++at)
    if (in[at] != byte_of(peer, rank, at)) {
      printf("rank %d: byte %zu of %zu from rank %d is wrong\n", rank, at, bytes, peer);
      return 1;
    }
  return 0;
}

int main(int argc, char** argv) {
  static const size_t sizes[] = {0, 1, 8, 4096, 8192, 16384, 16385, 65536, 65537, 300000, 4u << 20};
  int rank, size, peer, wrong = 0, sum = 0;
  size_t i;
  unsigned char* out = malloc(sizes[10]);
  unsigned char* in = malloc(sizes[10]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    for (peer = 0; peer < size; ++peer)
      if (peer != rank) wrong += exchange(rank, peer, sizes[i], out, in);
  MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "kill") != 0) {
    puts("ready");
    fflush(stdout);
    if (strcmp(argv[1], "wait") == 0) MPI_Recv(in, 1, MPI_BYTE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (;;)
      for (peer = 0; peer < size; ++peer)
        if (peer != rank) exchange(rank, peer, sizes[strcmp(argv[1], "small") == 0 ? 2 : 10], out, in);
  }
  if (argc > 1) {
    if (rank == size - 1) raise(SIGKILL);
    MPI_Recv(in, 1, MPI_BYTE, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) puts(sum == 0 ? "all right" : "wrong");
  MPI_Finalize();
  free(out);
  free(in);
  return sum != 0;
}
