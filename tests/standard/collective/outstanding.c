/* Many non-blocking collectives in flight at once, of every kind, on two communicators, with point-to-point traffic in
 * between, waited for in another order than posted. Argument: rounds. */
#include "forms.h"

enum { in_flight = 60, kinds = 6, width = 50 };

typedef struct { int mine[width], *result; } Operation;

static void post(Operation* o, int number, MPI_Comm comm, MPI_Request* request)
{
  const int root = number % job_size;
  for (int i = 0; i < width; ++i) o->mine[i] = value_at(my_rank, number + i);
  o->result = untouched_ints(width * job_size);
  switch (number % kinds) {
    case 0: CHECK_MPI(MPI_Ibarrier(comm, request)); break;
    case 1:
      if (my_rank == root) memcpy(o->result, o->mine, sizeof o->mine);
      CHECK_MPI(MPI_Ibcast(o->result, width, MPI_INT, root, comm, request));
      break;
    case 2: CHECK_MPI(MPI_Iallreduce(o->mine, o->result, width, MPI_INT, MPI_SUM, comm, request)); break;
    case 3: CHECK_MPI(MPI_Iallgather(o->mine, width, MPI_INT, o->result, width, MPI_INT, comm, request)); break;
    case 4: CHECK_MPI(MPI_Iscan(o->mine, o->result, width, MPI_INT, MPI_SUM, comm, request)); break;
    default: CHECK_MPI(MPI_Igather(o->mine, width, MPI_INT, o->result, width, MPI_INT, root, comm, request)); break;
  }
}

static void check(Operation* o, int number)
{
  const int root = number % job_size, kind = number % kinds;
  if (kind == 1) CHECK_VALUES(o->result, root, number, width);
  if (kind == 3 || (kind == 5 && my_rank == root))
    for (int rank = 0; rank < job_size; ++rank) CHECK_VALUES(o->result + rank * width, rank, number, width);
  if (kind == 2 || kind == 4)
    for (int i = 0; i < width; ++i) {
      int want = 0;
      for (int rank = 0; rank < (kind == 2 ? job_size : my_rank + 1); ++rank) want += value_at(rank, number + i);
      CHECK_EQUAL(o->result[i], want);
    }
  free(o->result);
}

int main(int argc, char** argv)
{
  static Operation operations[in_flight];
  MPI_Request requests[in_flight];
  MPI_Comm comms[2];
  check_begin(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  comms[0] = MPI_COMM_WORLD;
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]));
  for (int round = 0; round < rounds; ++round) {
    int token = -1;
    for (int i = 0; i < in_flight; ++i) post(&operations[i], round + i, comms[i / 7 % 2], &requests[i]);
    /* messages pass by, any-source ones too, and are not mistaken for a collective's */
    CHECK_MPI(MPI_Sendrecv(&round, 1, MPI_INT, (my_rank + 1) % job_size, round, &token, 1, MPI_INT, MPI_ANY_SOURCE,
                           MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQUAL(token, round);
    if (round % 3 == 0) CHECK_MPI(MPI_Waitall(in_flight, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < in_flight && round % 3 == 1; ++i) /* each rank in its own order */
      CHECK_MPI(MPI_Wait(&requests[(i * 7 + my_rank * 11) % in_flight], MPI_STATUS_IGNORE));
    for (int i = 0; i < in_flight && round % 3 == 2; ++i) {
      int index;
      CHECK_MPI(MPI_Waitany(in_flight, requests, &index, MPI_STATUS_IGNORE));
      CHECK(index != MPI_UNDEFINED);
    }
    for (int i = 0; i < in_flight; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
    for (int i = 0; i < in_flight; ++i) check(&operations[i], round + i);
  }
  CHECK_MPI(MPI_Comm_free(&comms[1]));
  return check_end();
}
