/* A picture of the Mandelbrot set, row by row: whoever is free takes the next row from a counter that all ranks share, so
 * that rows which take longer, or ranks which are slower, keep nobody waiting. Arguments: rows (default 400), steps (2000).
 *     weftrun -n 4 work_queue
 * Shows: a counter of weft.h as a work queue (dynamic self-scheduling; Tang & Yew 1986), one fetch-add a row and no server. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

/* Pixels of a row inside the set, and the steps that took. */
static long row_inside(int row, int rows, int most_steps, long* steps)
{
  const int columns = rows + rows / 2;
  const double y = -1.0 + 2.0 * (row + 0.5) / rows;
  long inside = 0;
  for (int column = 0; column < columns; ++column) {
    const double x = -2.0 + 3.0 * (column + 0.5) / columns;
    double re = 0, im = 0;
    int step = 0;
    for (; step < most_steps && re * re + im * im <= 4; ++step) {
      const double next = re * re - im * im + x;
      im = 2 * re * im + y;
      re = next;
    }
    inside += step == most_steps;
    *steps += step;
  }
  return inside;
}

int main(int argc, char** argv)
{
  int rank, size;
  weft_counter next;
  weft_home home;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rows = argc > 1 ? atoi(argv[1]) : 400, most_steps = argc > 2 ? atoi(argv[2]) : 2000;

  weft_counter_create(MPI_COMM_WORLD, 0, 1, 0, &next);          /* collective: one number at rank 0, from 0 */
  weft_counter_home(next, &home);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  long mine[3] = {0, 0, 0};                                     /* rows, pixels inside, steps */
  for (int64_t row;;) {
    weft_counter_fetch_add(next, 0, 1, &row);
    if (row >= rows) break;
    ++mine[0];
    mine[1] += row_inside((int)row, rows, most_steps, &mine[2]);
  }
  const double busy_s = MPI_Wtime() - start;
  weft_counter_free(&next);

  long all[3], most_rows;
  double longest_s;
  MPI_Reduce(mine, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine, &most_rows, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&busy_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d ranks, %ld rows: %ld of %ld pixels inside, %ld steps, at most %ld rows a rank, %.3f s, counter by %s\n", size, all[0],
           all[1], (long)rows * (rows + rows / 2), all[2], most_rows, longest_s, home.way);
    if (all[0] != rows) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
