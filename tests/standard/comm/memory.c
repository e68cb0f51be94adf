/* Memory of MPI_Alloc_mem may be used in messages and is given back; a size that nobody has is an error and no crash. */
#include "../check.h"

int main(int argc, char** argv)
{
  int *out = NULL, *in = NULL;
  char* huge = NULL;
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  for (int round = 0; round < 100; ++round) {
    const int count = round * 37;
    CHECK_MPI(MPI_Alloc_mem((MPI_Aint)(count * (int)sizeof *out), MPI_INFO_NULL, &out));
    CHECK_MPI(MPI_Alloc_mem((MPI_Aint)(count * (int)sizeof *in), MPI_INFO_NULL, &in));
    pattern_fill(out, (size_t)count * sizeof *out, my_rank + round);
    CHECK_MPI(MPI_Sendrecv(out, count, MPI_INT, (my_rank + 1) % job_size, 0, in, count, MPI_INT, (my_rank + job_size - 1) % job_size, 0,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_PATTERN(in, (size_t)count * sizeof *in, (my_rank + job_size - 1) % job_size + round);
    CHECK_MPI(MPI_Free_mem(out));
    CHECK_MPI(MPI_Free_mem(in));
  }
  CHECK_CLASS(MPI_Alloc_mem((MPI_Aint)1 << 62, MPI_INFO_NULL, &huge), MPI_ERR_NO_MEM);
  return check_end();
}
