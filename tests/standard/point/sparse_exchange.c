/* The dynamic sparse exchange (Issend, Iprobe, Ibarrier): every message once, in its round (CO10).
 * Arguments: rounds, messages a rank and round. */
#include "../check.h"

enum { most = 16, most_elements = 3000 };

static void one_round(int round, int messages, unsigned* state, int* received)
{
  static int out[most][most_elements];
  int in[most_elements], all_sent = 0, done = 0;
  const int tag = round % 2; /* a rank may leave the barrier, and send for the next round, before we see it done */
  MPI_Request sends[most], barrier = MPI_REQUEST_NULL;
  for (int i = 0; i < messages; ++i) {
    const int to = (int)(random_next(state) % (unsigned)job_size);
    const int elements = (int)(random_next(state) % 10 ? 1 + random_next(state) % 20 : 2 + random_next(state) % (most_elements - 2));
    for (int k = 0; k < elements; ++k) out[i][k] = round;
    CHECK_MPI(MPI_Issend(out[i], elements, MPI_INT, to, tag, MPI_COMM_WORLD, &sends[i]));
  }
  while (!done) {
    MPI_Status status;
    int there = 0, elements = 0;
    CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status));
    if (there) {
      CHECK_MPI(MPI_Get_count(&status, MPI_INT, &elements));
      CHECK_MPI(MPI_Recv(in, elements, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      for (int k = 0; k < elements; ++k) CHECK_EQUAL(in[k], round);
      ++*received;
    }
    if (all_sent) {
      CHECK_MPI(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
    } else {
      CHECK_MPI(MPI_Testall(messages, sends, &all_sent, MPI_STATUSES_IGNORE));
      if (all_sent) CHECK_MPI(MPI_Ibarrier(MPI_COMM_WORLD, &barrier));
    }
  }
}

int main(int argc, char** argv)
{
  int received = 0, total = 0;
  check_begin(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 100, messages = argc > 2 ? atoi(argv[2]) : 6;
  unsigned state = 77u + (unsigned)my_rank;
  for (int round = 0; round < rounds; ++round) one_round(round, messages, &state, &received);
  CHECK_MPI(MPI_Allreduce(&received, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK_EQUAL(total, rounds * messages * job_size);
  return check_end();
}
