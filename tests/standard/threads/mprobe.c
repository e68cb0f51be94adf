/* Four threads of rank 0 take any-source messages of random size by matched probe: each message comes once, whole, in the
 * size the probe told (PP06). Argument: messages of each sender. */
#include "team.h"

enum { most_bytes = 60000, threads = 4, data_tag = 0 };
static int messages;
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static char* seen; /* by sender and number */
static int left_to_take;

static int bytes_of(int sender, int number)
{
  unsigned state = (unsigned)(sender * 65537 + number);
  random_next(&state);
  const unsigned kind = random_next(&state) % 20;
  return (int)(8 + random_next(&state) % (kind == 0 ? most_bytes - 8 : kind < 5 ? 5000 : 100));
}

/* True as long as this thread has a message to wait for: as many probes are made as messages come. */
static int claim_one(void)
{
  pthread_mutex_lock(&seen_lock);
  const int claimed = left_to_take > 0;
  left_to_take -= claimed;
  pthread_mutex_unlock(&seen_lock);
  return claimed;
}

static void take(int number)
{
  char* data = check_allocate(most_bytes);
  (void)number;
  while (claim_one()) {
    MPI_Message message;
    MPI_Status probed, received;
    int bytes = -1, got = -1, stamp[2];
    CHECK_MPI(MPI_Mprobe(MPI_ANY_SOURCE, data_tag, MPI_COMM_WORLD, &message, &probed));
    CHECK_MPI(MPI_Get_count(&probed, MPI_BYTE, &bytes));
    CHECK_MPI(MPI_Mrecv(data, most_bytes, MPI_BYTE, &message, &received));
    CHECK_MPI(MPI_Get_count(&received, MPI_BYTE, &got));
    CHECK_EQUAL(got, bytes);
    CHECK_STATUS(received, probed.MPI_SOURCE, probed.MPI_TAG);
    memcpy(stamp, data, sizeof stamp);
    CHECK_EQUAL(stamp[0], probed.MPI_SOURCE);
    CHECK_EQUAL(bytes, bytes_of(stamp[0], stamp[1]));
    pthread_mutex_lock(&seen_lock);
    CHECK_EQUAL(seen[stamp[0] * messages + stamp[1]]++, 0);
    pthread_mutex_unlock(&seen_lock);
  }
  free(data);
}

int main(int argc, char** argv)
{
  check_begin_level(&argc, &argv, MPI_THREAD_MULTIPLE);
  messages = argc > 1 ? atoi(argv[1]) : 2000;
  if (my_rank == 0) {
    seen = check_allocate((size_t)(messages * job_size));
    left_to_take = messages * (job_size - 1);
    run_team(threads, take);
    for (int i = messages; i < messages * job_size; ++i) CHECK_EQUAL(seen[i], 1);
    free(seen);
  } else {
    char* data = check_allocate(most_bytes);
    for (int i = 0; i < messages; ++i) {
      const int stamp[2] = {my_rank, i};
      memcpy(data, stamp, sizeof stamp);
      CHECK_MPI(MPI_Send(data, bytes_of(my_rank, i), MPI_BYTE, 0, data_tag, MPI_COMM_WORLD));
    }
    free(data);
  }
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  return check_end();
}
