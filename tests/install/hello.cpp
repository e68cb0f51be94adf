// hello.c for a C++ compiler: the same line, with constants used where C++ is stricter than C.
#include <mpi.h>

#include <iostream>
#include <string>

int main(int argc, char** argv) {
  int rank = MPI_PROC_NULL, size = 0, version = 0, subversion = 0, length = 0;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  MPI_Get_version(&version, &subversion);
  MPI_Get_library_version(library, &length);
  const std::string name(library);
  std::cout << "rank " + std::to_string(rank) + " of " + std::to_string(size) + ", MPI " + std::to_string(version) + "." +
                   std::to_string(subversion) + ", " + (name.compare(0, 4, "weft") == 0 ? "weft" : name) + "\n";
  MPI_Finalize();
  return 0;
}
