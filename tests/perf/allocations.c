/* No heap on hot paths: after a warm-up, none of the calls below may allocate or free. The program's own malloc stands in
 * front of the C library's, for this program and every library it loads, and counts what the main thread does while
 * `counting` is set. Two ranks. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

enum { warm_up = 300, repetitions = 300, payload = 1024, window = 16 };

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

/* volatile: a compiler knows malloc and takes for granted that it changes nothing it can see */
static __thread volatile int counting;
static __thread volatile long allocations, frees;

void *malloc(size_t bytes) { allocations = allocations + counting; return __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { allocations = allocations + counting; return __libc_calloc(count, bytes); }
void *realloc(void *memory, size_t bytes) { allocations = allocations + counting; return __libc_realloc(memory, bytes); }
void *memalign(size_t alignment, size_t bytes) { allocations = allocations + counting; return __libc_memalign(alignment, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == NULL ? 12 /* ENOMEM */ : 0;
}
void free(void *memory) { frees = frees + (counting && memory != NULL); __libc_free(memory); }

static int rank, peer, failed;
static char out[payload * window], in[payload * window];
static double value, sum;

static void send_and_receive(int bytes) {
  if (rank == 0) MPI_Send(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
  MPI_Recv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
}
static void small_messages(void) { send_and_receive(8); }
static void larger_messages(void) { send_and_receive(payload); }
static void windows_of_requests(void) {
  MPI_Request requests[2 * window];
  for (int i = 0; i < window; ++i) MPI_Irecv(in + i * payload, payload, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < window; ++i) MPI_Isend(out + i * payload, payload, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[window + i]);
  MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
}
static void any_source(void) {
  if (rank == 0) MPI_Send(out, 8, MPI_BYTE, peer, 3, MPI_COMM_WORLD);
  else MPI_Recv(in, 8, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void bcast(void) { MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

/* A peer may run ahead, by how much is chance: let more messages wait unexpected than ever will below, once. */
static void pile_up(void) {
  enum { pile = 4 * window };
  for (int i = 0; i < pile; ++i) MPI_Send(out, payload, MPI_BYTE, peer, 4, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < pile; ++i) MPI_Recv(in, payload, MPI_BYTE, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void check(const char *name, void (*call)(void)) {
  for (int i = 0; i < warm_up; ++i) call();
  MPI_Barrier(MPI_COMM_WORLD);
  allocations = 0;
  frees = 0;
  counting = 1;
  for (int i = 0; i < repetitions; ++i) call();
  counting = 0;
  if (allocations + frees != 0) {
    printf("rank %d: %s: %ld allocations, %ld frees in %d calls\n", rank, name, allocations, frees, repetitions);
    failed = 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The counter itself must count, or the test could not fail. */
static void prove_the_counter(void) {
  void *(*volatile allocate)(size_t) = malloc;
  void (*volatile release)(void *) = free;
  counting = 1;
  release(allocate(8));
  counting = 0;
  if (allocations != 1 || frees != 1) {
    printf("rank %d: the counter saw %ld allocations and %ld frees instead of one\n", rank, allocations, frees);
    failed = 1;
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  prove_the_counter();
  pile_up();
  check("send and receive of 8 bytes", small_messages);
  check("send and receive of 1024 bytes", larger_messages);
  check("16 requests each way, waitall", windows_of_requests);
  check("receive from any source", any_source);
  check("barrier", barrier);
  check("bcast", bcast);
  check("reduce", reduce);
  check("allreduce", allreduce);
  MPI_Finalize();
  return failed;
}
