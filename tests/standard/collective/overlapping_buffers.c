/* The same buffer given for both sides gives MPI_ERR_BUFFER and the job goes on; with count 0, or NULL at count 0, it is
 * no error (CO05). */
#include "../check.h"

enum { most = 64 };

static void same_buffer(int* data)
{
  int* ones = check_allocate((size_t)job_size * sizeof(int));
  int* places = check_allocate((size_t)job_size * sizeof(int));
  int* bytes = check_allocate((size_t)job_size * sizeof(int));
  MPI_Datatype* types = check_allocate((size_t)job_size * sizeof(MPI_Datatype));
  for (int i = 0; i < job_size; ++i) {
    ones[i] = 1;
    places[i] = i;
    bytes[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  CHECK_CLASS(MPI_Allreduce(data, data, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Scan(data, data, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Exscan(data, data, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Alltoall(data, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Alltoallv(data, ones, places, MPI_INT, data, ones, places, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Alltoallw(data, ones, bytes, types, data, ones, bytes, types, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  free(ones);
  free(places);
  free(bytes);
  free(types);
}

static void nothing_at_all(int* data)
{
  int* zeros = check_allocate((size_t)job_size * sizeof(int));
  for (int i = 0; i < 2; ++i) {
    int* buffer = i ? data : NULL;
    CHECK_MPI(MPI_Allreduce(buffer, buffer, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Reduce(buffer, buffer, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Scan(buffer, buffer, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Exscan(buffer, buffer, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Bcast(buffer, 0, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Gather(buffer, 0, MPI_INT, buffer, 0, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Scatter(buffer, 0, MPI_INT, buffer, 0, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Allgather(buffer, 0, MPI_INT, buffer, 0, MPI_INT, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Allgatherv(buffer, 0, MPI_INT, buffer, zeros, zeros, MPI_INT, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Alltoall(buffer, 0, MPI_INT, buffer, 0, MPI_INT, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Alltoallv(buffer, zeros, zeros, MPI_INT, buffer, zeros, zeros, MPI_INT, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Reduce_scatter_block(buffer, buffer, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Reduce_scatter(buffer, buffer, zeros, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  }
  free(zeros);
}

int main(int argc, char** argv)
{
  int data[most] = {0}, sum = 0, one = 1;
  check_begin(&argc, &argv);
  nothing_at_all(data);
  same_buffer(data);
  CHECK_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK_EQUAL(sum, job_size);
  return check_end();
}
