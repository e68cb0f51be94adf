/* Cancel: waiting for a cancelled request is local and returns; a message is either delivered or cancelled, never both
 * and never neither (PP05). */
#include "../check.h"

static int wait_cancelled(MPI_Request* request)
{
  MPI_Status status;
  int cancelled = -1;
  CHECK_MPI(MPI_Wait(request, &status));
  CHECK_MPI(MPI_Test_cancelled(&status, &cancelled));
  return cancelled;
}

static void receives(void)
{
  MPI_Request request;
  int value = 42, got = 0;
  CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request));
  CHECK_MPI(MPI_Cancel(&request));
  CHECK(wait_cancelled(&request));
  CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, &request));
  CHECK_MPI(MPI_Cancel(&request));
  CHECK(wait_cancelled(&request));
  CHECK_EQUAL(value, 42);
  /* the cancelled receives must not catch what comes later */
  CHECK_MPI(MPI_Sendrecv(&my_rank, 1, MPI_INT, (my_rank + 1) % job_size, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_EQUAL(got, (my_rank + job_size - 1) % job_size);
  CHECK_EQUAL(value, 42);
}

/* A receive that has its message already: cancel comes too late and the data is there. */
static void too_late(void)
{
  MPI_Request request;
  MPI_Status status;
  int sent = 7, got = 0, flag = 0;
  CHECK_MPI(MPI_Irecv(&got, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request));
  CHECK_MPI(MPI_Send(&sent, 1, MPI_INT, 0, 2, MPI_COMM_SELF));
  while (!flag) CHECK_MPI(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Cancel(&request));
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK_MPI(MPI_Test_cancelled(&status, &flag));
  CHECK(!flag);
  CHECK_EQUAL(got, 7);
}

/* Either cancelled, and then a receive finds nothing, or not, and then the receive gets it. */
static void synchronous_send_to_self(int elements)
{
  int* sent = check_allocate((size_t)elements * sizeof(int));
  int* got = check_allocate((size_t)elements * sizeof(int));
  int cancelled = -1, there = -1;
  MPI_Request request;
  MPI_Status status;
  sent[elements - 1] = 5;
  CHECK_MPI(MPI_Issend(sent, elements, MPI_INT, 0, 3, MPI_COMM_SELF, &request));
  CHECK_MPI(MPI_Cancel(&request));
  CHECK_MPI(MPI_Iprobe(0, 3, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE));
  if (there) {
    CHECK_MPI(MPI_Recv(got, elements, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK_EQUAL(got[elements - 1], 5);
  }
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK_MPI(MPI_Test_cancelled(&status, &cancelled));
  CHECK_EQUAL(cancelled, !there);
  free(sent);
  free(got);
}

/* Nobody receives it, so that it can only be cancelled; the receiver then finds nothing. */
static void synchronous_send_to_peer(int elements)
{
  int* data = check_allocate((size_t)elements * sizeof(int));
  int there = -1;
  if (my_rank == 0) {
    MPI_Request request;
    CHECK_MPI(MPI_Issend(data, elements, MPI_INT, 1, 4, MPI_COMM_WORLD, &request));
    CHECK_MPI(MPI_Cancel(&request));
    CHECK(wait_cancelled(&request));
    CHECK_MPI(MPI_Send(NULL, 0, MPI_INT, 1, 5, MPI_COMM_WORLD));
  } else if (my_rank == 1) {
    CHECK_MPI(MPI_Recv(NULL, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Iprobe(0, 4, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    CHECK(!there);
  }
  free(data);
}

static void persistent_receive(void)
{
  MPI_Request request;
  int sent = 11, got = 0;
  CHECK_MPI(MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_SELF, &request));
  CHECK_MPI(MPI_Start(&request));
  CHECK_MPI(MPI_Cancel(&request));
  CHECK(wait_cancelled(&request));
  CHECK(request != MPI_REQUEST_NULL);
  CHECK_MPI(MPI_Start(&request)); /* it can be started again and then receives */
  CHECK_MPI(MPI_Send(&sent, 1, MPI_INT, 0, 6, MPI_COMM_SELF));
  CHECK(!wait_cancelled(&request));
  CHECK_EQUAL(got, 11);
  CHECK_MPI(MPI_Request_free(&request));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  receives();
  too_late();
  synchronous_send_to_self(1);
  synchronous_send_to_self(200000);
  if (job_size > 1) {
    synchronous_send_to_peer(1);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    synchronous_send_to_peer(200000);
  }
  persistent_receive();
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  return check_end();
}
