/* A receive takes the first message that fits its source, tag and communicator, whatever arrived before it. */
#include "../check.h"

enum { messages = 64 };

static void tags_in_any_order(MPI_Comm other)
{
  if (my_rank == 0) {
    MPI_Request requests[2 * messages];
    int values[2 * messages];
    for (int i = 0; i < 2 * messages; ++i) {
      const int second = i >= messages;
      values[i] = second ? 1000 + i - messages : i;
      CHECK_MPI(MPI_Isend(&values[i], 1, MPI_INT, 1, i % messages, second ? other : MPI_COMM_WORLD, &requests[i]));
    }
    CHECK_MPI(MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE));
  } else if (my_rank == 1) {
    int value;
    MPI_Status status;
    for (int k = 0; k < messages; ++k) { /* the other communicator first: same tags, other values */
      const int tag = (k * 13) % messages;
      CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, 0, tag, other, &status));
      CHECK_EQUAL(value, 1000 + tag);
      CHECK_STATUS(status, 0, tag);
    }
    for (int k = messages - 1; k >= 0; --k) {
      CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_EQUAL(value, k);
    }
  }
}

/* Posted receives: a message goes to the earliest one that fits, a wildcard included. */
static void earliest_posted_receive_wins(void)
{
  int got[4] = {-1, -1, -1, -1}, go = 0;
  if (my_rank == 1) {
    MPI_Request requests[4];
    MPI_Status status[4];
    CHECK_MPI(MPI_Irecv(&got[0], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]));
    CHECK_MPI(MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[1]));
    CHECK_MPI(MPI_Irecv(&got[2], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2]));
    CHECK_MPI(MPI_Irecv(&got[3], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[3]));
    CHECK_MPI(MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Waitall(4, requests, status));
    CHECK_EQUAL(got[0], 0);
    CHECK_EQUAL(got[1], 2);
    CHECK_EQUAL(got[2], 1);
    CHECK_EQUAL(got[3], 3);
    CHECK_STATUS(status[1], 0, 7);
    CHECK_STATUS(status[2], 0, 8);
  } else if (my_rank == 0) {
    CHECK_MPI(MPI_Recv(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 4; ++i) {
      CHECK_MPI(MPI_Send(&i, 1, MPI_INT, 1, i == 1 ? 8 : 7, MPI_COMM_WORLD)); /* 8 fits only the any-tag receive */
    }
  }
}

int main(int argc, char** argv)
{
  MPI_Comm other;
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &other));
  if (job_size > 1) {
    tags_in_any_order(other);
    earliest_posted_receive_wins();
  }
  CHECK_MPI(MPI_Comm_free(&other));
  return check_end();
}
