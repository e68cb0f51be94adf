/* A message longer than its receive: MPI_ERR_TRUNCATE from the right call (in the status for Waitall), nothing written
 * past the buffer, the sender completes and the next message is unharmed (PP01). */
#include "../check.h"

enum { room = 8, guard = 64, forms = 9 };
static const int sizes[] = {9, 16, 100, 4000, 5000, 40000, 70000, 1 << 20, 4 << 20};
enum { size_count = sizeof sizes / sizeof sizes[0] };

static int receive_in_form(int form, char* buffer, int bytes)
{
  MPI_Request request = MPI_REQUEST_NULL, pair[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[2];
  MPI_Message message;
  int index = -1, flag = 0, code = -1, done = 0, class = -1;
  memset(statuses, 0, sizeof statuses);
  switch (form) {
    case 0: return MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
    case 1:
      CHECK_MPI(MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request));
      return MPI_Wait(&request, &status);
    case 2:
      CHECK_MPI(MPI_Irecv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &pair[1]));
      code = MPI_Waitany(2, pair, &index, &status);
      CHECK_EQUAL(index, 1);
      return code;
    case 3: /* the list's error says: look into the statuses */
      CHECK_MPI(MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &pair[0]));
      CHECK_CLASS(MPI_Waitall(2, pair, statuses), MPI_ERR_IN_STATUS);
      CHECK_CLASS(statuses[1].MPI_ERROR, MPI_SUCCESS);
      return statuses[0].MPI_ERROR;
    case 4:
      CHECK_MPI(MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status));
      return MPI_Mrecv(buffer, bytes, MPI_BYTE, &message, &status);
    case 5: return MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
    case 6:
      CHECK_MPI(MPI_Recv_init(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request));
      CHECK_MPI(MPI_Start(&request));
      code = MPI_Wait(&request, &status);
      CHECK_MPI(MPI_Request_free(&request));
      return code;
    case 7:
      CHECK_MPI(MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request));
      do code = MPI_Test(&request, &flag, &status);
      while (code == MPI_SUCCESS && !flag);
      return code;
    default:
      CHECK_MPI(MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &pair[0]));
      do code = MPI_Testsome(2, pair, &done, &index, statuses);
      while (code == MPI_SUCCESS && done == 0);
      MPI_Error_class(code, &class);
      CHECK_EQUAL(class, MPI_ERR_IN_STATUS);
      return statuses[0].MPI_ERROR;
  }
}

static void receive_truncated(int form, int bytes)
{
  char buffer[room + guard];
  int next = -1;
  memset(buffer, 77, sizeof buffer);
  CHECK_CLASS(receive_in_form(form, buffer, room), MPI_ERR_TRUNCATE);
  for (int i = room; i < room + guard; ++i) CHECK_EQUAL(buffer[i], 77);
  CHECK_MPI(MPI_Recv(&next, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_EQUAL(next, bytes);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  char* data = check_allocate(4 << 20);
  for (int early = 0; early < 2 && job_size > 1; ++early) { /* message there first, or receive first */
    for (int form = 0; form < forms; ++form) {
      for (int i = 0; i < size_count; ++i) {
        int go = 0;
        if (my_rank == 0) {
          if (!early) CHECK_MPI(MPI_Recv(&go, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
          CHECK_MPI(MPI_Send(data, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD));
          CHECK_MPI(MPI_Send(&sizes[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
        } else if (my_rank == 1) {
          if (!early) CHECK_MPI(MPI_Send(&go, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
          if (early) CHECK_MPI(MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
          receive_truncated(form, sizes[i]);
        }
      }
    }
  }
  free(data);
  return check_end();
}
