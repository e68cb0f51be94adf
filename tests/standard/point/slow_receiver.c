/* A fast sender and a receiver that first waits for somebody else: all arrives in order, and the receiver's memory stays
 * bounded (PP10). Arguments: messages, bytes of each. CHECK_PEAK_MIB: the most MiB the peak may grow by, at either end;
 * unset, growth is not judged (a library without a bound can still be tested for its data). */
#include "../check.h"
#include <unistd.h>

static void check_growth(long before_kib)
{
  const char* limit = getenv("CHECK_PEAK_MIB");
  const long grown_mib = (process_memory_kib("VmHWM:") - before_kib) / 1024;
  if (limit) {
    char text[100];
    snprintf(text, sizeof text, "peak memory grew by %ld MiB, allowed %s MiB", grown_mib, limit);
    if (grown_mib > atol(limit)) check_fail(__FILE__, __LINE__, text);
  }
}

/* Blocking sends: the receiver listens to rank 2 (or its own clock) for a second first. */
static void blocking_sender(int messages, int bytes)
{
  char* data = check_allocate((size_t)bytes);
  const long before = process_memory_kib("VmHWM:");
  if (my_rank == 0) {
    for (int i = 0; i < messages; ++i) {
      memcpy(data, &i, sizeof i);
      CHECK_MPI(MPI_Send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
    }
  } else if (my_rank == 1) {
    int number = -1;
    if (job_size > 2) CHECK_MPI(MPI_Recv(NULL, 0, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else usleep(500000);
    for (int i = 0; i < messages; ++i) {
      CHECK_MPI(MPI_Recv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      memcpy(&number, data, sizeof number);
      CHECK_EQUAL(number, i);
    }
  } else if (my_rank == 2) {
    usleep(1000000);
    CHECK_MPI(MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD));
  }
  check_growth(before);
  free(data);
}

/* A pile of non-blocking sends before the one the receiver wants first: that one must get through, by the standard's
 * progress rule, past all those that nobody receives yet. */
static void pile_of_sends(int messages, int bytes)
{
  char* data = check_allocate((size_t)bytes);
  MPI_Request* requests = check_allocate((size_t)messages * sizeof(MPI_Request));
  const long before = process_memory_kib("VmHWM:");
  pattern_fill(data, (size_t)bytes, 4);
  if (my_rank == 0) {
    for (int i = 0; i < messages; ++i)
      CHECK_MPI(MPI_Isend(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[i]));
    CHECK_MPI(MPI_Send(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE));
  } else if (my_rank == 1) {
    CHECK_MPI(MPI_Recv(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < messages; ++i) {
      memset(data, 0, (size_t)bytes);
      CHECK_MPI(MPI_Recv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_PATTERN(data, (size_t)bytes, 4);
    }
  }
  if (my_rank == 1) check_growth(before); /* the sender asked for its pile of requests itself */
  free(requests);
  free(data);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int messages = argc > 1 ? atoi(argv[1]) : 30000, bytes = argc > 2 ? atoi(argv[2]) : 1000;
  if (job_size > 1) {
    blocking_sender(messages, bytes);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    pile_of_sends(messages, bytes);
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  return check_end();
}
