/* Waitany, Waitsome, Waitall and the Test forms: which index, which status, null and inactive requests, empty lists. */
#include "../check.h"

enum { messages = 6 };
static int values[messages];

static void post_receives(MPI_Request* requests)
{
  for (int i = 0; i < messages; ++i) {
    values[i] = -1;
    CHECK_MPI(MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]));
  }
}

static void send_one(int tag)
{
  const int value = 100 + tag;
  CHECK_MPI(MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_SELF));
}

static void any(int waits)
{
  MPI_Request requests[messages];
  MPI_Status status;
  int index = -1, flag = 1;
  post_receives(requests);
  CHECK_MPI(MPI_Testany(messages, requests, &index, &flag, &status));
  CHECK(!flag);
  CHECK_EQUAL(index, MPI_UNDEFINED);
  for (int k = 0; k < messages; ++k) {
    const int tag = (k * 5 + 2) % messages;
    send_one(tag);
    if (waits) CHECK_MPI(MPI_Waitany(messages, requests, &index, &status));
    else
      for (flag = 0; !flag;) CHECK_MPI(MPI_Testany(messages, requests, &index, &flag, &status));
    CHECK_EQUAL(index, tag);
    CHECK_EQUAL(values[tag], 100 + tag);
    CHECK_STATUS(status, 0, tag);
    CHECK(requests[tag] == MPI_REQUEST_NULL);
  }
  CHECK_MPI(MPI_Waitany(messages, requests, &index, &status)); /* nothing left */
  CHECK_EQUAL(index, MPI_UNDEFINED);
  CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
  CHECK_MPI(MPI_Testany(messages, requests, &index, &flag, MPI_STATUS_IGNORE));
  CHECK(flag);
  CHECK_EQUAL(index, MPI_UNDEFINED);
}

static void some(int waits)
{
  MPI_Request requests[messages];
  MPI_Status statuses[messages];
  int indices[messages], done = -1, seen = 0, total = 0;
  post_receives(requests);
  CHECK_MPI(MPI_Testsome(messages, requests, &done, indices, statuses));
  CHECK_EQUAL(done, 0);
  send_one(4);
  send_one(1);
  send_one(3);
  while (total < 3) {
    if (waits) CHECK_MPI(MPI_Waitsome(messages, requests, &done, indices, statuses));
    else CHECK_MPI(MPI_Testsome(messages, requests, &done, indices, statuses));
    for (int k = 0; k < done; ++k) {
      CHECK_STATUS(statuses[k], 0, indices[k]);
      CHECK_EQUAL(values[indices[k]], 100 + indices[k]);
      CHECK(requests[indices[k]] == MPI_REQUEST_NULL);
      seen |= 1 << indices[k];
    }
    total += done;
  }
  CHECK_EQUAL(seen, 1 << 4 | 1 << 1 | 1 << 3);
  send_one(0);
  send_one(2);
  send_one(5);
  CHECK_MPI(MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE));
  CHECK_MPI(MPI_Waitsome(messages, requests, &done, indices, MPI_STATUSES_IGNORE));
  CHECK_EQUAL(done, MPI_UNDEFINED);
  CHECK_MPI(MPI_Testsome(messages, requests, &done, indices, statuses));
  CHECK_EQUAL(done, MPI_UNDEFINED);
}

static void all(int waits)
{
  MPI_Request requests[messages];
  MPI_Status statuses[messages];
  int flag = 1;
  post_receives(requests);
  for (int i = 0; i + 1 < messages; ++i) send_one(i);
  CHECK_MPI(MPI_Testall(messages, requests, &flag, statuses));
  CHECK(!flag);
  for (int i = 0; i < messages; ++i) CHECK(requests[i] != MPI_REQUEST_NULL); /* all or none */
  send_one(messages - 1);
  if (waits) CHECK_MPI(MPI_Waitall(messages, requests, statuses));
  else
    for (flag = 0; !flag;) CHECK_MPI(MPI_Testall(messages, requests, &flag, statuses));
  for (int i = 0; i < messages; ++i) {
    CHECK_STATUS(statuses[i], 0, i);
    CHECK_EQUAL(values[i], 100 + i);
    CHECK(requests[i] == MPI_REQUEST_NULL);
  }
  CHECK_MPI(MPI_Testall(messages, requests, &flag, statuses));
  CHECK(flag);
  CHECK_STATUS(statuses[0], MPI_ANY_SOURCE, MPI_ANY_TAG);
}

static void empty_lists(void)
{
  int index = 0, flag = 0, done = 0;
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status;
  CHECK_MPI(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  CHECK_MPI(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE));
  CHECK_EQUAL(index, MPI_UNDEFINED);
  CHECK_MPI(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
  CHECK(flag);
  CHECK_MPI(MPI_Testany(0, NULL, &index, &flag, MPI_STATUS_IGNORE));
  CHECK(flag && index == MPI_UNDEFINED);
  CHECK_MPI(MPI_Waitsome(0, NULL, &done, NULL, MPI_STATUSES_IGNORE));
  CHECK_EQUAL(done, MPI_UNDEFINED);
  CHECK_MPI(MPI_Wait(&none, &status));
  CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
  CHECK_MPI(MPI_Test(&none, &flag, &status));
  CHECK(flag);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  for (int waits = 0; waits < 2; ++waits) {
    any(waits);
    some(waits);
    all(waits);
  }
  empty_lists();
  return check_end();
}
