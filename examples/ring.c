/* A token goes around a ring of ranks; each adds its own number. Arguments: rounds (default 1000).
 *     weftrun -n 4 ring
 * Shows: blocking send and receive, and what one hop costs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
  int rank, size;
  long token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;

  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      if (size > 1) {
        MPI_Send(&token, 1, MPI_LONG, next, 0, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Recv(&token, 1, MPI_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      token += rank;
      MPI_Send(&token, 1, MPI_LONG, next, 0, MPI_COMM_WORLD);
    }
  }
  const double seconds = MPI_Wtime() - start;

  if (rank == 0) {
    const long expected = (long)rounds * size * (size - 1) / 2;
    printf("%d ranks, %d rounds: token %ld, expected %ld, %.2f us a hop\n", size, rounds, token, expected,
           seconds / ((double)rounds * size) * 1e6);
    if (token != expected) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
