/* Heat spreading over a plate: reads a grey picture (PGM) as temperatures, lets it spread, writes a picture again.
 *     weftrun -n 4 heat hot_spots.pgm warm.pgm 500
 * Shows: a column of a matrix as a datatype, so that Scatterv deals out vertical strips of the picture and halos travel
 * without packing. The edge is insulated, so the mean stays; the result is the same, bit by bit, for every rank count. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double* read_picture(const char* name, int* width, int* height)
{
  int most = 0, kind = 0;
  FILE* file = fopen(name, "rb");
  if (!file || fscanf(file, "P%d %d %d %d", &kind, width, height, &most) != 4 || (kind != 2 && kind != 5) || most > 255) {
    fprintf(stderr, "heat: %s is no PGM picture of 8 bits\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
  }
  fgetc(file);
  double* picture = malloc((size_t)*width * (size_t)*height * sizeof(double));
  for (int i = 0, value = 0; i < *width * *height; ++i) {
    if (kind == 5) value = fgetc(file);
    else if (fscanf(file, "%d", &value) != 1) value = 0;
    picture[i] = value;
  }
  fclose(file);
  return picture;
}

static unsigned long write_picture(const char* name, const double* picture, int width, int height)
{
  unsigned long sum = 5381;
  FILE* file = fopen(name, "wb");
  if (!file) MPI_Abort(MPI_COMM_WORLD, 1);
  fprintf(file, "P5\n%d %d\n255\n", width, height);
  for (int i = 0; i < width * height; ++i) {
    const int grey = (int)(picture[i] + 0.5);
    fputc(grey, file);
    sum = (sum * 33 + (unsigned long)grey) & 0xffffffff;
  }
  fclose(file);
  return sum;
}

/* `height` doubles, one in each row of `stride`; columns follow each other one double apart. */
static MPI_Datatype column_type(int height, int stride)
{
  MPI_Datatype raw, column;
  MPI_Type_vector(height, 1, stride, MPI_DOUBLE, &raw);
  MPI_Type_create_resized(raw, 0, sizeof(double), &column);
  MPI_Type_commit(&column);
  MPI_Type_free(&raw);
  return column;
}

/* One step: new from old. Both have a halo column on each side; beyond the top and bottom row heat finds no way. */
static void spread(const double* old, double* new, int columns, int height)
{
  const int stride = columns + 2;
  for (int y = 0; y < height; ++y)
    for (int x = 1; x <= columns; ++x) {
      const double *here = old + y * stride + x, up = y > 0 ? here[-stride] : *here, down = y + 1 < height ? here[stride] : *here;
      new[y * stride + x] = *here + 0.2 * (up + down + here[-1] + here[1] - 4 * *here);
    }
}

int main(int argc, char** argv)
{
  int rank, size, shape[2] = {0, 0};
  double* picture = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) picture = read_picture(argc > 1 ? argv[1] : "hot_spots.pgm", &shape[0], &shape[1]);
  MPI_Bcast(shape, 2, MPI_INT, 0, MPI_COMM_WORLD);
  const int width = shape[0], height = shape[1], steps = argc > 3 ? atoi(argv[3]) : 500;

  int *counts = malloc((size_t)size * sizeof(int)), *firsts = malloc((size_t)size * sizeof(int));
  for (int r = 0; r < size; ++r) {
    firsts[r] = width * r / size;
    counts[r] = width * (r + 1) / size - firsts[r];
  }
  const int columns = counts[rank], stride = columns + 2;
  const size_t bytes = (size_t)stride * (size_t)height * sizeof(double);
  double *old = calloc(1, bytes), *new = calloc(1, bytes);
  MPI_Datatype of_picture = column_type(height, width), of_strip = column_type(height, stride);
  MPI_Scatterv(picture, counts, firsts, of_picture, old + 1, columns, of_strip, 0, MPI_COMM_WORLD);

  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < steps; ++step) {
    for (int y = 0; y < height; ++y) { /* insulated, unless a neighbour's column arrives */
      old[y * stride] = old[y * stride + 1];
      old[y * stride + columns + 1] = old[y * stride + columns];
    }
    MPI_Sendrecv(old + 1, 1, of_strip, left, 0, old + columns + 1, 1, of_strip, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(old + columns, 1, of_strip, right, 1, old, 1, of_strip, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    spread(old, new, columns, height);
    double* other = old;
    old = new;
    new = other;
  }

  MPI_Gatherv(old + 1, columns, of_strip, picture, counts, firsts, of_picture, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    double sum = 0, most = 0;
    for (int i = 0; i < width * height; ++i) {
      sum += picture[i];
      if (picture[i] > most) most = picture[i];
    }
    const unsigned long mark = write_picture(argc > 2 ? argv[2] : "warm.pgm", picture, width, height);
    printf("%d x %d, %d steps: mean %.6f, hottest %.6f, picture %08lx\n", width, height, steps, sum / (width * height), most, mark);
  }
  MPI_Type_free(&of_picture);
  MPI_Type_free(&of_strip);
  MPI_Finalize();
  return 0;
}
