/* Pi as the area under 4 / (1 + x^2) from 0 to 1, by the midpoint rule; ranks take every size-th strip.
 *     weftrun -n 4 pi 10000000
 * Shows: broadcast of the input, reduction of the result. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
  int rank, size;
  long strips = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  if (rank == 0) strips = argc > 1 ? atol(argv[1]) : 1000000; /* only rank 0 reads the command line */
  MPI_Bcast(&strips, 1, MPI_LONG, 0, MPI_COMM_WORLD);

  const double width = 1.0 / (double)strips;
  double mine = 0, pi = 0;
  for (long strip = rank; strip < strips; strip += size) {
    const double x = ((double)strip + 0.5) * width;
    mine += 4.0 / (1.0 + x * x);
  }
  mine *= width;
  MPI_Reduce(&mine, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

  if (rank == 0) printf("%d ranks, %ld strips: pi is about %.12f, error %.1e\n", size, strips, pi, fabs(pi - acos(-1.0)));
  MPI_Finalize();
  return 0;
}
