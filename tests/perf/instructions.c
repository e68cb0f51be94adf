/* Instructions on the critical path of a call: rank 0 runs under callgrind, rank 1 natively (instructions.py starts both).
 * Collection is on inside COUNT() only, and rank 0 enters a counted call only after rank 1's part is done, told through a
 * shared file rather than through MPI, so that no turn of a waiting loop is counted. One dump for each label; the label
 * "nothing" holds what COUNT() costs itself. argv[1]: a file of at least four bytes, zeroed. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <valgrind/callgrind.h>
#include <weft.h>

enum { repetitions = 50, warm_up = 40, window = 64, to_rank_1 = 1, to_rank_0 = 2 };

#define COUNT(call)             \
  do {                          \
    CALLGRIND_TOGGLE_COLLECT;   \
    call;                       \
    CALLGRIND_TOGGLE_COLLECT;   \
  } while (0)

static int rank;
static double in[1], out[1];
static volatile uint32_t *progress;   /* how many parts rank 1 has done */
static uint32_t parts;

static void peer_part_done(void) { *progress = ++parts; }

static void await_peer(useconds_t settle_us) {
  ++parts;
  while (*progress < parts) usleep(200);
  usleep(settle_us);
}

static void ping_pong(int times) {
  for (int i = 0; i < times; ++i) {
    if (rank == 0) {
      MPI_Send(out, 8, MPI_BYTE, 1, to_rank_1, MPI_COMM_WORLD);
      MPI_Recv(in, 8, MPI_BYTE, 1, to_rank_0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, 8, MPI_BYTE, 0, to_rank_1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, 8, MPI_BYTE, 0, to_rank_0, MPI_COMM_WORLD);
    }
  }
}

/* dump() is no statement of rank 0 alone: natively the request does nothing */
#define DUMP(label)                   \
  do {                                \
    CALLGRIND_DUMP_STATS_AT(label);   \
    CALLGRIND_ZERO_STATS;             \
  } while (0)

static void count_nothing(void) {
  for (int i = 0; i < repetitions; ++i) COUNT((void)0);
  DUMP("nothing");
}

static void count_send(void) {
  for (int i = 0; i < repetitions; ++i) {
    if (rank == 0) COUNT(MPI_Send(out, 8, MPI_BYTE, 1, to_rank_1, MPI_COMM_WORLD));
    else MPI_Recv(in, 8, MPI_BYTE, 0, to_rank_1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  DUMP("send");
}

static void count_ready_receive(void) {
  for (int i = 0; i < repetitions; ++i) {
    if (rank == 0) {
      MPI_Send(out, 8, MPI_BYTE, 1, to_rank_1, MPI_COMM_WORLD);
      await_peer(300);
      COUNT(MPI_Recv(in, 8, MPI_BYTE, 1, to_rank_0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
      MPI_Recv(in, 8, MPI_BYTE, 0, to_rank_1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, 8, MPI_BYTE, 0, to_rank_0, MPI_COMM_WORLD);
      peer_part_done();
    }
  }
  DUMP("receive");
}

static void count_isend(void) {
  for (int i = 0; i < repetitions; ++i) {
    if (rank == 0) {
      MPI_Request request;
      COUNT(MPI_Isend(out, 8, MPI_BYTE, 1, to_rank_1, MPI_COMM_WORLD, &request));
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, 8, MPI_BYTE, 0, to_rank_1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (i % 10 == 9) ping_pong(1);   /* rank 1 keeps up */
  }
  DUMP("isend");
}

/* A window of requests, as rates are measured: a part is counted for the whole window. */
static MPI_Request requests[window];
static double many_in[window], many_out[window];

static void send_window(int peer, int tag) {
  for (int i = 0; i < window; ++i) MPI_Isend(&many_out[i], 8, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[i]);
}
static void receive_window(int peer, int tag) {
  for (int i = 0; i < window; ++i) MPI_Irecv(&many_in[i], 8, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[i]);
}
static void wait_window(void) { MPI_Waitall(window, requests, MPI_STATUSES_IGNORE); }

static void count_window_sent(void) {
  for (int i = 0; i < repetitions; ++i) {
    if (rank == 0) {
      COUNT(send_window(1, to_rank_1); wait_window());
    } else {
      receive_window(0, to_rank_1);
      wait_window();
    }
    ping_pong(1);
  }
  DUMP("window-sent");
}

/* The receives are posted before the messages come, which are all there when rank 0 waits for them. */
static void count_window_received(void) {
  for (int i = 0; i < repetitions; ++i) {
    if (rank == 0) {
      COUNT(receive_window(1, to_rank_0));
      MPI_Send(out, 8, MPI_BYTE, 1, to_rank_1, MPI_COMM_WORLD);
      await_peer(300);
      COUNT(wait_window());
    } else {
      MPI_Recv(in, 8, MPI_BYTE, 0, to_rank_1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      send_window(0, to_rank_0);
      wait_window();
      peer_part_done();
    }
  }
  DUMP("window-received");
}

/* Rank 1 is inside the collective, and has been for a while, when rank 0 enters. */
#define COUNT_COLLECTIVE(label, call)     \
  do {                                    \
    for (int i = 0; i < warm_up; ++i) call; \
    for (int i = 0; i < repetitions; ++i) { \
      if (rank == 0) {                    \
        await_peer(5000);                 \
        COUNT(call);                      \
      } else {                            \
        peer_part_done();                 \
        call;                             \
      }                                   \
      ping_pong(1);                       \
    }                                     \
    DUMP(label);                          \
  } while (0)

/* A counter and a lock of the other rank, on the same node and free. */
static void count_remote(void) {
  weft_counter counter;
  weft_lock lock;
  int64_t before;
  weft_counter_create(MPI_COMM_WORLD, 1, 1, 0, &counter);
  weft_lock_create(MPI_COMM_WORLD, 1, 0, &lock);
  for (int i = 0; i < repetitions && rank == 0; ++i) COUNT(weft_counter_fetch_add(counter, 0, 1, &before));
  DUMP("fetch-add");
  for (int i = 0; i < repetitions && rank == 0; ++i) COUNT(weft_lock_acquire(lock, WEFT_NO_LIMIT, NULL); weft_lock_release(lock));
  DUMP("lock");
  weft_lock_free(&lock);
  weft_counter_free(&counter);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int file = argc == 2 ? open(argv[1], O_RDWR) : -1;
  if (file < 0) {
    fprintf(stderr, "instructions: %s cannot be opened\n", argc == 2 ? argv[1] : "the file of the first argument");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (progress == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
  ping_pong(warm_up);
  count_nothing();
  count_send();
  count_ready_receive();
  count_isend();
  count_window_sent();
  count_window_received();
  count_remote();
  COUNT_COLLECTIVE("barrier", MPI_Barrier(MPI_COMM_WORLD));
  COUNT_COLLECTIVE("allreduce", MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  MPI_Finalize();
  return 0;
}
