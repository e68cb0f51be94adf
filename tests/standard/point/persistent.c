/* Persistent requests of every mode: started again and again with changed data, inactive between, freed at the end. */
#include "../check.h"

enum { rounds = 50, kinds = 4 };

static void inactive_is_done(MPI_Request* request)
{
  MPI_Status status;
  int flag = 0, count = -1, index = 0;
  CHECK_MPI(MPI_Wait(request, &status)); /* an empty status, at once */
  CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
  CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
  CHECK_EQUAL(count, 0);
  CHECK_MPI(MPI_Test(request, &flag, &status));
  CHECK(flag);
  CHECK_MPI(MPI_Waitany(1, request, &index, &status));
  CHECK_EQUAL(index, MPI_UNDEFINED);
  CHECK(*request != MPI_REQUEST_NULL);
}

static void all_modes(int elements)
{
  MPI_Request requests[2 * kinds];
  MPI_Status statuses[2 * kinds];
  int *sent[kinds], *got[kinds], bytes = 0;
  const int space = kinds * (elements * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
  const int to = (my_rank + 1) % job_size, from = (my_rank + job_size - 1) % job_size;
  void* buffer = check_allocate((size_t)space);
  CHECK_MPI(MPI_Buffer_attach(buffer, space));
  for (int k = 0; k < kinds; ++k) {
    sent[k] = check_allocate((size_t)elements * sizeof(int));
    got[k] = check_allocate((size_t)elements * sizeof(int));
    CHECK_MPI(MPI_Recv_init(got[k], elements, MPI_INT, from, k, MPI_COMM_WORLD, &requests[k]));
  }
  CHECK_MPI(MPI_Send_init(sent[0], elements, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[kinds + 0]));
  CHECK_MPI(MPI_Bsend_init(sent[1], elements, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[kinds + 1]));
  CHECK_MPI(MPI_Ssend_init(sent[2], elements, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[kinds + 2]));
  CHECK_MPI(MPI_Rsend_init(sent[3], elements, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[kinds + 3]));
  for (int k = 0; k < 2 * kinds; ++k) inactive_is_done(&requests[k]);
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < kinds; ++k)
      for (int i = 0; i < elements; ++i) sent[k][i] = my_rank * 100000 + round * 100 + k + i;
    CHECK_MPI(MPI_Startall(kinds, requests));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); /* the ready send's receive stands */
    CHECK_MPI(MPI_Start(&requests[kinds]));
    CHECK_MPI(MPI_Startall(kinds - 1, requests + kinds + 1));
    CHECK_MPI(MPI_Waitall(2 * kinds, requests, statuses));
    for (int k = 0; k < kinds; ++k) {
      CHECK_STATUS(statuses[k], from, k);
      for (int i = 0; i < elements; ++i) CHECK_EQUAL(got[k][i], from * 100000 + round * 100 + k + i);
    }
  }
  for (int k = 0; k < 2 * kinds; ++k) {
    CHECK(requests[k] != MPI_REQUEST_NULL);
    CHECK_MPI(MPI_Request_free(&requests[k]));
    CHECK(requests[k] == MPI_REQUEST_NULL);
  }
  CHECK_MPI(MPI_Buffer_detach(&buffer, &bytes));
  free(buffer);
  for (int k = 0; k < kinds; ++k) {
    free(sent[k]);
    free(got[k]);
  }
}

static void towards_nobody(void)
{
  MPI_Request requests[2];
  MPI_Status statuses[2];
  CHECK_MPI(MPI_Send_init(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]));
  CHECK_MPI(MPI_Recv_init(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]));
  for (int round = 0; round < 3; ++round) {
    CHECK_MPI(MPI_Startall(2, requests));
    CHECK_MPI(MPI_Waitall(2, requests, statuses));
    CHECK_STATUS(statuses[1], MPI_PROC_NULL, MPI_ANY_TAG);
  }
  CHECK_MPI(MPI_Request_free(&requests[0]));
  CHECK_MPI(MPI_Request_free(&requests[1]));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  all_modes(1);
  all_modes(1000);
  all_modes(40000);
  towards_nobody();
  return check_end();
}
