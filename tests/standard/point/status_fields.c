/* Status: Get_count in whole elements or MPI_UNDEFINED, Get_elements in basic ones, Request_get_status that takes
 * nothing away, Status_set_elements and Status_set_cancelled. */
#include "../check.h"

static void partial_elements(void)
{
  struct { int a; double b; } items[4] = {{0, 0}};
  const int lengths[2] = {1, 1};
  const MPI_Aint offsets[2] = {0, (MPI_Aint)((char*)&items[0].b - (char*)&items[0])};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype pair, item, prefix;
  MPI_Status status;
  int count = -1, bytes = -1;
  CHECK_MPI(MPI_Type_create_struct(2, lengths, offsets, types, &pair));
  CHECK_MPI(MPI_Type_create_resized(pair, 0, sizeof items[0], &item));
  CHECK_MPI(MPI_Type_create_struct(1, lengths, offsets, types, &prefix)); /* just the int */
  CHECK_MPI(MPI_Type_commit(&item));
  CHECK_MPI(MPI_Type_commit(&prefix));
  MPI_Request request;
  CHECK_MPI(MPI_Irecv(items, 4, item, 0, 1, MPI_COMM_SELF, &request));
  /* two whole items and the int of a third: sent packed as one struct */
  struct { int a; double b; } source[3] = {{1, 2.5}, {3, 4.5}, {5, 0}};
  const int blocks[2] = {2, 1};
  const MPI_Aint places[2] = {0, 2 * (MPI_Aint)sizeof source[0]};
  const MPI_Datatype parts[2] = {item, prefix};
  MPI_Datatype two_and_a_bit;
  CHECK_MPI(MPI_Type_create_struct(2, blocks, places, parts, &two_and_a_bit));
  CHECK_MPI(MPI_Type_commit(&two_and_a_bit));
  CHECK_MPI(MPI_Send(source, 1, two_and_a_bit, 0, 1, MPI_COMM_SELF));
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK_MPI(MPI_Get_count(&status, item, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);
  CHECK_MPI(MPI_Get_elements(&status, item, &count));
  CHECK_EQUAL(count, 5);
  CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
  CHECK_EQUAL(bytes, 2 * 12 + 4);
  CHECK(items[1].a == 3 && items[1].b == 4.5 && items[2].a == 5 && items[2].b == 0);
  CHECK_MPI(MPI_Type_free(&two_and_a_bit));
  CHECK_MPI(MPI_Type_free(&prefix));
  CHECK_MPI(MPI_Type_free(&item));
  CHECK_MPI(MPI_Type_free(&pair));
}

static void shorter_than_posted(void)
{
  double sent[3] = {1, 2, 3}, got[10] = {0};
  MPI_Status status;
  MPI_Request request;
  int count = -1;
  CHECK_MPI(MPI_Irecv(got, 10, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &request));
  CHECK_MPI(MPI_Send(sent, 3, MPI_DOUBLE, 0, 2, MPI_COMM_SELF));
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK_MPI(MPI_Get_count(&status, MPI_DOUBLE, &count));
  CHECK_EQUAL(count, 3);
  CHECK(got[2] == 3 && got[3] == 0);
  CHECK_MPI(MPI_Get_count(&status, MPI_FLOAT, &count));
  CHECK_EQUAL(count, 6);
}

static void get_status_takes_nothing(void)
{
  int sent = 3, got = 0, flag = 1, count = 0;
  MPI_Status status;
  MPI_Request request;
  CHECK_MPI(MPI_Irecv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request));
  CHECK_MPI(MPI_Request_get_status(request, &flag, &status));
  CHECK(!flag);
  CHECK_MPI(MPI_Send(&sent, 1, MPI_INT, 0, 3, MPI_COMM_SELF));
  for (int twice = 0; twice < 2; ++twice) {
    for (flag = 0; !flag;) CHECK_MPI(MPI_Request_get_status(request, &flag, &status));
    CHECK_STATUS(status, 0, 3);
    CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQUAL(count, 1);
  }
  CHECK(request != MPI_REQUEST_NULL);
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK_STATUS(status, 0, 3);
  CHECK_EQUAL(got, 3);
  CHECK_MPI(MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status));
  CHECK(flag);
  CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
}

static void set_by_hand(void)
{
  MPI_Status status;
  int count = -1, flag = -1;
  memset(&status, 0, sizeof status);
  CHECK_MPI(MPI_Status_set_elements(&status, MPI_INT, 17));
  CHECK_MPI(MPI_Status_set_cancelled(&status, 1));
  CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
  CHECK_EQUAL(count, 17);
  CHECK_MPI(MPI_Get_elements(&status, MPI_INT, &count));
  CHECK_EQUAL(count, 17);
  CHECK_MPI(MPI_Test_cancelled(&status, &flag));
  CHECK(flag);
  CHECK_MPI(MPI_Status_set_cancelled(&status, 0));
  CHECK_MPI(MPI_Test_cancelled(&status, &flag));
  CHECK(!flag);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  partial_elements();
  shorter_than_posted();
  get_status_takes_nothing();
  set_by_hand();
  return check_end();
}
