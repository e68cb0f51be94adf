/* Piles of unexpected messages, and of posted receives, taken in the order of their tags, in reverse and shuffled: right
 * data, and CPU time that grows in proportion to the pile: four times as many may cost at most ten times as much, where
 * searching a list would cost sixteen. Argument: messages of the small pile. */
#include "../check.h"
#include <time.h>

enum Order { ascending, descending, shuffled };

static double cpu_seconds(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

static int tag_at(int step, int messages, enum Order order)
{
  if (order == ascending) return step;
  if (order == descending) return messages - 1 - step;
  return (int)(((long long)step * 7919 + 13) % messages); /* 7919 is prime and larger piles are no multiple of it */
}

/* Everything has arrived, unexpected, before the first receive; then they are received in `order`. */
static double drain_unexpected(int messages, enum Order order)
{
  int value = -1;
  double seconds = 0;
  MPI_Request* requests = check_allocate((size_t)messages * sizeof(MPI_Request));
  int* values = check_allocate((size_t)messages * sizeof(int));
  if (my_rank == 0) {
    for (int i = 0; i < messages; ++i) {
      values[i] = 3 * i;
      CHECK_MPI(MPI_Isend(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]));
    }
    CHECK_MPI(MPI_Send(NULL, 0, MPI_INT, 1, messages, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE));
  } else if (my_rank == 1) {
    const double start = cpu_seconds();
    CHECK_MPI(MPI_Recv(NULL, 0, MPI_INT, 0, messages, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < messages; ++i) {
      const int tag = tag_at(i, messages, order);
      CHECK_MPI(MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK_EQUAL(value, 3 * tag);
    }
    seconds = cpu_seconds() - start;
  }
  free(values);
  free(requests);
  return seconds;
}

/* All receives stand before the first message comes; the messages come in `order`. */
static double fill_posted(int messages, enum Order order)
{
  MPI_Request* requests = check_allocate((size_t)messages * sizeof(MPI_Request));
  int* values = check_allocate((size_t)messages * sizeof(int));
  const double start = cpu_seconds();
  if (my_rank == 1) {
    for (int i = 0; i < messages; ++i)
      CHECK_MPI(MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]));
    CHECK_MPI(MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < messages; ++i) CHECK_EQUAL(values[i], 3 * i);
  } else if (my_rank == 0) {
    CHECK_MPI(MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < messages; ++i) {
      const int tag = tag_at(i, messages, order), value = 3 * tag;
      CHECK_MPI(MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD));
    }
  }
  free(values);
  free(requests);
  return cpu_seconds() - start;
}

static void check_linear(double (*pile)(int, enum Order), int messages, enum Order order)
{
  double small = 1e9, large = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) { /* the best of three: others may use the machine */
    const double one = pile(messages, order), four = pile(4 * messages, order);
    if (one < small) small = one;
    if (four < large) large = four;
  }
  const double floor_seconds = 0.005; /* below this the clock says nothing */
  if (my_rank == 1) CHECK(large <= 10 * (small > floor_seconds ? small : floor_seconds));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  const int messages = argc > 1 ? atoi(argv[1]) : 5000;
  for (int order = ascending; order <= shuffled && job_size > 1; ++order) {
    check_linear(drain_unexpected, messages, (enum Order)order);
    check_linear(fill_posted, messages, (enum Order)order);
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  return check_end();
}
