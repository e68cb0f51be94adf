/* More messages than anyone has room for, taken in the reverse of the order they were sent in: by blocking sends before the one
 * that is awaited, with and without gaps in the data, then by sends that are all under way at once. Arguments: messages, bytes. */
#include "../check.h"
#include <mpi.h>

static int bytes;
static MPI_Datatype every_other;

static char mark(int number) { return (char)(number % 113 + 1); }

/* Every third has gaps at the sender. */
static void send_one(char* room, int number)
{
  const int gaps = number % 3 == 0;
  memset(room, mark(number), (size_t)(2 * bytes));
  if (gaps) for (int i = 1; i < 2 * bytes; i += 2) room[i] = 0;
  CHECK_MPI(MPI_Send(room, gaps ? 1 : bytes, gaps ? every_other : MPI_BYTE, 1, number, MPI_COMM_WORLD));
}

static void check_one(const char* room, const MPI_Status* status, int number)
{
  int count;
  CHECK_MPI(MPI_Get_count(status, MPI_BYTE, &count));
  CHECK_EQUAL(count, bytes);
  CHECK_EQUAL(status->MPI_TAG, number);
  for (int i = 0; i < bytes; ++i) CHECK_EQUAL(room[i], mark(number));
}

static void receive_one(char* room, int number)
{
  MPI_Status status;
  memset(room, 0, (size_t)bytes);
  if (number % 2 == 0) {
    CHECK_MPI(MPI_Recv(room, bytes, MPI_BYTE, 0, number, MPI_COMM_WORLD, &status));
  } else {
    MPI_Message message;
    CHECK_MPI(MPI_Mprobe(0, number, MPI_COMM_WORLD, &message, &status));
    CHECK_MPI(MPI_Mrecv(room, bytes, MPI_BYTE, &message, &status));
  }
  check_one(room, &status, number);
}

static void blocking(int messages)
{
  char* room = check_allocate((size_t)(2 * bytes));
  if (my_rank == 0) {
    for (int i = 0; i < messages; ++i) send_one(room, i);
    CHECK_MPI(MPI_Send(room, 1, MPI_BYTE, 1, messages, MPI_COMM_WORLD));
  } else if (my_rank == 1) {
    CHECK_MPI(MPI_Recv(room, bytes, MPI_BYTE, 0, messages, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = messages - 1; i >= 0; --i) receive_one(room, i);
  }
  free(room);
}

static void at_once(int messages)
{
  char* rooms = check_allocate((size_t)messages * (size_t)bytes);
  MPI_Request* requests = check_allocate((size_t)messages * sizeof *requests);
  if (my_rank == 0) {
    for (int i = 0; i < messages; ++i) {
      memset(rooms + (size_t)i * (size_t)bytes, mark(i), (size_t)bytes);
      CHECK_MPI(MPI_Isend(rooms + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]));
    }
    CHECK_MPI(MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE));
  } else if (my_rank == 1) {
    for (int i = messages - 1; i >= 0; --i) receive_one(rooms, i);
  }
  free(requests);
  free(rooms);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int messages = argc > 1 ? atoi(argv[1]) : 2000;
  bytes = argc > 2 ? atoi(argv[2]) : 1000;
  CHECK_MPI(MPI_Type_vector(bytes, 1, 2, MPI_BYTE, &every_other));
  CHECK_MPI(MPI_Type_commit(&every_other));
  blocking(messages);
  at_once(messages);
  CHECK_MPI(MPI_Type_free(&every_other));
  return check_end();
}
