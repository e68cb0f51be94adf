/* Parts of one job tell each other apart by MPI_APPNUM; it counts the programs from 0, in rank order. */
#include "../standard/check.h"

int main(int argc, char** argv)
{
  int *number = NULL, flag = 0, mine, first = -1;
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag));
  mine = flag ? *number : 0;
  CHECK(mine >= 0 && mine < job_size);
  if (argc > 1) CHECK_EQUAL(mine, atoi(argv[1]));          /* run as: -n 1 PROGRAM 0 : -n 2 PROGRAM 1 */
  if (my_rank > 0) {
    CHECK_MPI(MPI_Recv(&first, 1, MPI_INT, my_rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(first <= mine);
  }
  if (my_rank + 1 < job_size) CHECK_MPI(MPI_Send(&mine, 1, MPI_INT, my_rank + 1, 0, MPI_COMM_WORLD));
  return check_end();
}
