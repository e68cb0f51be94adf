/* Probe, iprobe, mprobe and improbe tell source, tag and size of the message the next receive gets; a matched message
 * is out of reach of every other receive and probe; MPI_MESSAGE_NO_PROC behaves like PROC_NULL. */
#include "../check.h"

static void probe_then_receive(int bytes)
{
  char* data = check_allocate((size_t)bytes);
  if (my_rank == 0) {
    pattern_fill(data, (size_t)bytes, 3);
    CHECK_MPI(MPI_Send(data, bytes, MPI_BYTE, 1, 11, MPI_COMM_WORLD));
  } else if (my_rank == 1) {
    MPI_Status status;
    int got, there = 0;
    CHECK_MPI(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK_STATUS(status, 0, 11);
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &got));
    CHECK_EQUAL(got, bytes);
    CHECK_MPI(MPI_Iprobe(0, 11, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    CHECK(there); /* a probe takes nothing away */
    CHECK_MPI(MPI_Iprobe(0, 12, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    CHECK(!there);
    CHECK_MPI(MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status));
    CHECK_PATTERN(data, (size_t)bytes, 3);
    CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    CHECK(!there);
  }
  free(data);
}

static void matched_message_is_taken(int bytes)
{
  char* data = check_allocate((size_t)bytes * 4);
  if (my_rank == 0) {
    MPI_Request requests[4]; /* not blocking: the receiver takes them out of order */
    for (int i = 0; i < 4; ++i) {
      pattern_fill(data + i * bytes, (size_t)bytes, i);
      CHECK_MPI(MPI_Isend(data + i * bytes, bytes, MPI_BYTE, 1, 20, MPI_COMM_WORLD, &requests[i]));
    }
    CHECK_MPI(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  } else if (my_rank == 1) {
    MPI_Message first = MPI_MESSAGE_NULL, second = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status;
    int there = 0, got;
    CHECK_MPI(MPI_Mprobe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &first, &status));
    CHECK_STATUS(status, 0, 20);
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &got));
    CHECK_EQUAL(got, bytes);
    CHECK(first != MPI_MESSAGE_NULL && first != MPI_MESSAGE_NO_PROC);
    while (!there) CHECK_MPI(MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &second, &status));
    CHECK_MPI(MPI_Recv(data, bytes, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status)); /* the third overtakes both */
    CHECK_PATTERN(data, (size_t)bytes, 2);
    CHECK_MPI(MPI_Imrecv(data, bytes, MPI_BYTE, &second, &request));
    CHECK(second == MPI_MESSAGE_NULL);
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_STATUS(status, 0, 20);
    CHECK_PATTERN(data, (size_t)bytes, 1);
    CHECK_MPI(MPI_Mrecv(data, bytes, MPI_BYTE, &first, &status));
    CHECK(first == MPI_MESSAGE_NULL);
    CHECK_STATUS(status, 0, 20);
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &got));
    CHECK_EQUAL(got, bytes);
    CHECK_PATTERN(data, (size_t)bytes, 0);
    CHECK_MPI(MPI_Recv(data, bytes, MPI_BYTE, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_PATTERN(data, (size_t)bytes, 3);
  }
  free(data);
}

/* PP06: looking for what is not there must not block anything later. */
static void nothing_there(void)
{
  MPI_Message message = MPI_MESSAGE_NULL;
  int there = 1;
  CHECK_MPI(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE));
  CHECK(!there);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

static void no_process(void)
{
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request;
  MPI_Status status;
  int there = 0, count = -1;
  CHECK_MPI(MPI_Probe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &status));
  CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG);
  CHECK_MPI(MPI_Iprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &there, &status));
  CHECK(there);
  CHECK_MPI(MPI_Mprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &message, &status));
  CHECK(message == MPI_MESSAGE_NO_PROC);
  CHECK_MPI(MPI_Mrecv(NULL, 0, MPI_INT, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL);
  CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG);
  CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
  CHECK_EQUAL(count, 0);
  CHECK_MPI(MPI_Improbe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &there, &message, &status));
  CHECK(there && message == MPI_MESSAGE_NO_PROC);
  CHECK_MPI(MPI_Imrecv(NULL, 0, MPI_INT, &message, &request));
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG);
}

int main(int argc, char** argv)
{
  static const int sizes[] = {0, 1, 100, 4096, 50000, 3000000};
  check_begin(&argc, &argv);
  nothing_there();
  no_process();
  for (int i = 0; i < 6 && job_size > 1; ++i) {
    probe_then_receive(sizes[i]);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  }
  for (int i = 1; i < 6 && job_size > 1; ++i) matched_message_is_taken(sizes[i]);
  nothing_there();
  return check_end();
}
