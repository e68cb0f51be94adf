/* Every size around each power of two up to 4 MiB, both ways at once, unexpected and expected, fresh and reused buffers,
 * odd addresses: no protocol switch loses, doubles or shifts a byte (PF01, for its data). */
#include "../check.h"

static const int largest = (4 << 20) + 64;

static void exchange(unsigned char* sent, unsigned char* got, int bytes, int expected)
{
  const int partner = my_rank ^ 1;
  MPI_Request requests[2];
  memset(got, 0, (size_t)bytes + 1);
  pattern_fill(sent, (size_t)bytes, my_rank + bytes);
  if (!expected) {
    CHECK_MPI(MPI_Isend(sent, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &requests[1]));
    CHECK_MPI(MPI_Probe(partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Irecv(got, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &requests[0]));
  } else {
    CHECK_MPI(MPI_Irecv(got, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_MPI(MPI_Isend(sent, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &requests[1]));
  }
  CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK_PATTERN(got, (size_t)bytes, partner + bytes);
  CHECK_EQUAL(got[bytes], 0); /* the byte after */
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  unsigned char *sent = check_allocate((size_t)largest + 2), *got = check_allocate((size_t)largest + 2);
  if ((my_rank ^ 1) < job_size) {
    for (int power = 1; power <= 4 << 20; power *= 2) {
      for (int offset = power < 8 ? 0 : -2; offset <= 2; ++offset) {
        exchange(sent, got, power + offset, offset & 1);
        exchange(sent + 1, got + 1, power + offset, !(offset & 1));
      }
      if (power < 4 << 20) exchange(sent, got, power + power / 2, 1);
    }
    for (int bytes = 1; bytes < 3000000; bytes = bytes * 5 + 3) { /* memory nobody has touched before */
      unsigned char *fresh_sent = check_allocate((size_t)bytes + 1), *fresh_got = check_allocate((size_t)bytes + 1);
      exchange(fresh_sent, fresh_got, bytes, 1);
      free(fresh_sent);
      free(fresh_got);
    }
  }
  free(sent);
  free(got);
  CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
  return check_end();
}
