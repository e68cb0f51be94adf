// A program that relies on its MPI to buffer: blocking sends that nobody asks for yet, then the one that is awaited. It is
// not portable, but much used; the receiver takes what it must rather than let both wait for ever.
#include "../check.h"

#include <stdlib.h>
#include <string.h>

enum { piled = 20000, bytes = 500 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char message[bytes];
  if (rank == 0) {
    for (int i = 0; i < piled; ++i) {
      memset(message, i & 127, bytes);
      MPI_Send(message, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    }
    MPI_Send(message, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(message, bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < piled; ++i) {
      MPI_Status status;
      MPI_Recv(message, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
      int count;
      MPI_Get_count(&status, MPI_CHAR, &count);
      CHECK(count == bytes && message[0] == (i & 127) && message[bytes - 1] == (i & 127));
    }
  }
  MPI_Finalize();
  return 0;
}
