/* One sender numbers its messages, sizes mixed from 4 B to 4 MB; a receiver with any source and any tag, partly posted
 * beforehand, sees the numbers ascend per sender, with source, tag and count right (PP08). Argument: messages a sender. */
#include "../check.h"

enum { largest_bytes = 4 << 20, window = 8 };

static int bytes_of(int number)
{
  static const int sizes[] = {4, 64, 1000, 4096, 5000, 16384, 70000, 4};
  if (number % 97 == 50) return largest_bytes;
  return sizes[number % 8];
}

static void send_numbered(int messages, int tag_step)
{
  char* data = check_allocate(largest_bytes);
  for (int number = 0; number < messages; ++number) {
    memcpy(data, &number, sizeof number);
    CHECK_MPI(MPI_Send(data, bytes_of(number), MPI_BYTE, 0, (number * tag_step) % 5, MPI_COMM_WORLD));
  }
  free(data);
}

static void receive_numbered(int messages, int tag_step)
{
  char* data[window];
  MPI_Request requests[window];
  int* next = check_allocate((size_t)job_size * sizeof(int));
  const int total = messages * (job_size - 1);
  int posted = 0;
  for (int i = 0; i < window; ++i) {
    data[i] = check_allocate(largest_bytes);
    requests[i] = MPI_REQUEST_NULL;
  }
  for (int done = 0; done < total; ++done) {
    MPI_Status status;
    int number, bytes, slot = done % window;
    while (posted < total && posted < done + (done % 3 == 0 ? window : 1)) {
      CHECK_MPI(MPI_Irecv(data[posted % window], largest_bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                          &requests[posted % window]));
      ++posted;
    }
    CHECK_MPI(MPI_Wait(&requests[slot], &status));
    memcpy(&number, data[slot], sizeof number);
    CHECK(status.MPI_SOURCE > 0 && status.MPI_SOURCE < job_size);
    CHECK_EQUAL(number, next[status.MPI_SOURCE]++);
    CHECK_EQUAL(status.MPI_TAG, (number * tag_step) % 5);
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
    CHECK_EQUAL(bytes, bytes_of(number));
  }
  for (int i = 0; i < window; ++i) free(data[i]);
  free(next);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int messages = argc > 1 ? atoi(argv[1]) : 600;
  for (int tag_step = 0; tag_step < 2; ++tag_step) { /* one tag for all, then five */
    if (my_rank == 0) receive_numbered(messages, tag_step);
    else send_numbered(messages, tag_step);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  }
  return check_end();
}
