/* Buffered sends: attach, detach (which waits until the buffered messages are out), reuse of the space, and
 * MPI_ERR_BUFFER when there is no room. */
#include "../check.h"

enum { elements = 500, rounds = 40 };
static const int one_message = elements * (int)sizeof(int) + MPI_BSEND_OVERHEAD;

static void detach_waits_for_delivery(void)
{
  int *data = check_allocate(elements * sizeof(int)), bytes = 0;
  void *space = check_allocate((size_t)(4 * one_message)), *detached = NULL;
  if (my_rank == 0) {
    CHECK_MPI(MPI_Buffer_attach(space, 4 * one_message));
    for (int i = 0; i < 4; ++i) {
      pattern_fill(data, elements * sizeof(int), i);
      CHECK_MPI(MPI_Bsend(data, elements, MPI_INT, 1, i, MPI_COMM_WORLD)); /* local: no receive stands yet */
    }
    CHECK_MPI(MPI_Send(data, 0, MPI_INT, 1, 50, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == space);
    CHECK_EQUAL(bytes, 4 * one_message);
    memset(space, 255, (size_t)(4 * one_message));
  } else if (my_rank == 1) {
    CHECK_MPI(MPI_Recv(data, 0, MPI_INT, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 3; i >= 0; --i) {
      CHECK_MPI(MPI_Recv(data, elements, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_PATTERN(data, elements * sizeof(int), i);
    }
  }
  free(space);
  free(data);
}

/* Space for one message serves many, each received before the next leaves. */
static void space_is_reused(void)
{
  int data[elements], bytes = 0;
  void* space = check_allocate((size_t)(2 * one_message));
  CHECK_MPI(MPI_Buffer_attach(space, 2 * one_message));
  for (int round = 0; round < rounds; ++round) {
    if (my_rank == 0) {
      pattern_fill(data, sizeof data, round);
      CHECK_MPI(MPI_Bsend(data, elements, MPI_INT, 1, 1, MPI_COMM_WORLD));
      CHECK_MPI(MPI_Recv(data, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else if (my_rank == 1) {
      CHECK_MPI(MPI_Recv(data, elements, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_PATTERN(data, sizeof data, round);
      CHECK_MPI(MPI_Send(data, 0, MPI_INT, 0, 2, MPI_COMM_WORLD));
    }
  }
  CHECK_MPI(MPI_Buffer_detach(&space, &bytes));
  free(space);
}

/* Three messages of odd sizes in exactly the room that the standard asks for; a fourth finds none, also by MPI_Start. */
static void exact_room(void)
{
  enum { three = 3, most = 20000 };
  static const int sizes[three] = {most, 10001, 6007};
  char *sent = check_allocate(most), *got = check_allocate(most);
  int room = 0, bytes = 0;
  void* space;
  MPI_Request persistent;
  for (int i = 0; i < three; ++i) room += sizes[i] + MPI_BSEND_OVERHEAD;
  space = check_allocate((size_t)room);
  CHECK_MPI(MPI_Buffer_attach(space, room));
  CHECK_MPI(MPI_Bsend_init(sent, most, MPI_CHAR, my_rank, 7, MPI_COMM_WORLD, &persistent));
  for (int i = 0; i < three; ++i) {
    pattern_fill(sent, (size_t)sizes[i], i);
    CHECK_MPI(MPI_Bsend(sent, sizes[i], MPI_CHAR, my_rank, 6, MPI_COMM_WORLD));
  }
  CHECK_CLASS(MPI_Bsend(sent, most, MPI_CHAR, my_rank, 7, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Start(&persistent), MPI_ERR_BUFFER);
  for (int i = 0; i < three; ++i) {
    CHECK_MPI(MPI_Recv(got, most, MPI_CHAR, my_rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_PATTERN(got, (size_t)sizes[i], i);
  }
  CHECK_MPI(MPI_Start(&persistent));
  CHECK_MPI(MPI_Recv(got, most, MPI_CHAR, my_rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Request_free(&persistent));
  CHECK_MPI(MPI_Buffer_detach(&space, &bytes));
  CHECK_EQUAL(bytes, room);
  free(space);
  free(sent);
  free(got);
}

static void no_room(void)
{
  enum { many = 20000 }; /* more than leaves at once anywhere */
  int *data = check_allocate(many * sizeof(int)), bytes = 0;
  void* space = check_allocate(MPI_BSEND_OVERHEAD + 16);
  CHECK_CLASS(MPI_Bsend(data, many, MPI_INT, my_rank, 3, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_MPI(MPI_Buffer_attach(space, MPI_BSEND_OVERHEAD + 16));
  CHECK_CLASS(MPI_Bsend(data, many, MPI_INT, my_rank, 3, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_MPI(MPI_Bsend(data, 4, MPI_INT, my_rank, 3, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Recv(data, 4, MPI_INT, my_rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Buffer_detach(&space, &bytes));
  CHECK_EQUAL(bytes, MPI_BSEND_OVERHEAD + 16);
  free(space);
  free(data);
}

/* A strided type is packed at the call: the caller may change its data right away. */
static void derived_type(void)
{
  int data[60], got[20], bytes = 0;
  MPI_Datatype third;
  void* space = check_allocate((size_t)one_message);
  CHECK_MPI(MPI_Type_vector(20, 1, 3, MPI_INT, &third));
  CHECK_MPI(MPI_Type_commit(&third));
  CHECK_MPI(MPI_Buffer_attach(space, one_message));
  for (int i = 0; i < 60; ++i) data[i] = i;
  CHECK_MPI(MPI_Bsend(data, 1, third, my_rank, 4, MPI_COMM_WORLD));
  memset(data, 0, sizeof data);
  CHECK_MPI(MPI_Recv(got, 20, MPI_INT, my_rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(got[i], 3 * i);
  CHECK_MPI(MPI_Buffer_detach(&space, &bytes));
  CHECK_MPI(MPI_Type_free(&third));
  free(space);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
/* A flush is done when what the buffer held has left, and not before. */
static void flush_in_the_background(void)
{
  enum { big = 100000 };
  int *data = check_allocate(big * sizeof(int)), bytes = 0, done = 1, room = big * (int)sizeof(int) + MPI_BSEND_OVERHEAD;
  void* space = check_allocate((size_t)room);
  MPI_Request process, communicator;
  CHECK_MPI(MPI_Buffer_attach(space, room));
  pattern_fill(data, big * sizeof(int), 6);
  CHECK_MPI(MPI_Bsend(data, big, MPI_INT, my_rank, 5, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Buffer_iflush(&process));
  CHECK_MPI(MPI_Test(&process, &done, MPI_STATUS_IGNORE));
  CHECK(!done);
  CHECK_MPI(MPI_Comm_iflush_buffer(MPI_COMM_SELF, &communicator)); /* none is attached there */
  CHECK_MPI(MPI_Wait(&communicator, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Recv(data, big, MPI_INT, my_rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_PATTERN(data, big * sizeof(int), 6);
  CHECK_MPI(MPI_Wait(&process, MPI_STATUS_IGNORE));
  CHECK(process == MPI_REQUEST_NULL);
  CHECK_MPI(MPI_Buffer_detach(&space, &bytes));
  free(space);
  free(data);
}
#else
static void flush_in_the_background(void) {}
#endif

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  if (job_size > 1) {
    detach_waits_for_delivery();
    space_is_reused();
  }
  exact_room();
  no_room();
  derived_type();
  flush_in_the_background();
  return check_end();
}
