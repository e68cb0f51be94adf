/* Every send mode, blocking and not, delivers its data; a synchronous send is not done before its receive has started. */
#include "../check.h"

enum { count = 300, modes = 8 };

static void send_in_mode(int mode, const int* data, int to, int tag)
{
  MPI_Request request = MPI_REQUEST_NULL;
  switch (mode) {
    case 0: CHECK_MPI(MPI_Send(data, count, MPI_INT, to, tag, MPI_COMM_WORLD)); break;
    case 1: CHECK_MPI(MPI_Bsend(data, count, MPI_INT, to, tag, MPI_COMM_WORLD)); break;
    case 2: CHECK_MPI(MPI_Ssend(data, count, MPI_INT, to, tag, MPI_COMM_WORLD)); break;
    case 3: CHECK_MPI(MPI_Rsend(data, count, MPI_INT, to, tag, MPI_COMM_WORLD)); break;
    case 4: CHECK_MPI(MPI_Isend(data, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request)); break;
    case 5: CHECK_MPI(MPI_Ibsend(data, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request)); break;
    case 6: CHECK_MPI(MPI_Issend(data, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request)); break;
    default: CHECK_MPI(MPI_Irsend(data, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request)); break;
  }
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(request == MPI_REQUEST_NULL);
}

static void exchange_all_modes(void)
{
  int sent[count], got[count], go = 0, bytes = 0;
  const int space = modes * (count * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
  void *space_start = check_allocate((size_t)space), *detached = NULL;
  CHECK_MPI(MPI_Buffer_attach(space_start, space));
  for (int mode = 0; mode < modes; ++mode) {
    for (int i = 0; i < count; ++i) sent[i] = mode * 1000 + i;
    if (my_rank == 0) {
      /* the receive stands before the go-ahead leaves, as a ready send demands */
      CHECK_MPI(MPI_Recv(&go, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      send_in_mode(mode, sent, 1, mode);
    } else if (my_rank == 1) {
      MPI_Request request;
      MPI_Status status;
      CHECK_MPI(MPI_Irecv(got, count, MPI_INT, 0, mode, MPI_COMM_WORLD, &request));
      CHECK_MPI(MPI_Send(&go, 1, MPI_INT, 0, 99, MPI_COMM_WORLD));
      CHECK_MPI(MPI_Wait(&request, &status));
      CHECK_STATUS(status, 0, mode);
      CHECK(memcmp(got, sent, sizeof got) == 0);
    }
  }
  CHECK_MPI(MPI_Buffer_detach(&detached, &bytes));
  CHECK(detached == space_start);
  CHECK_EQUAL(bytes, space);
  free(space_start);
}

static void synchronous_waits_for_its_receive(int elements)
{
  int done = 0, go = 1;
  int* data = check_allocate((size_t)elements * sizeof(int));
  MPI_Request request;
  if (my_rank == 0) {
    CHECK_MPI(MPI_Issend(data, elements, MPI_INT, 1, 5, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 2000; ++i) {
      CHECK_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      CHECK(!done);
    }
    CHECK_MPI(MPI_Send(&go, 1, MPI_INT, 1, 6, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else if (my_rank == 1) {
    CHECK_MPI(MPI_Recv(&go, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Recv(data, elements, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
  free(data);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  if (job_size > 1) {
    exchange_all_modes();
    synchronous_waits_for_its_receive(0);
    synchronous_waits_for_its_receive(1);
    synchronous_waits_for_its_receive(100000);
  }
  return check_end();
}
