/* The smallest job that shows which library answers; C89, so that any compiler and dialect takes it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, size, version, subversion, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(library, &length);
    printf("rank %d of %d, MPI %d.%d, %s\n", rank, size, version, subversion,
           strncmp(library, "weft", 4) == 0 ? "weft" : library);
    MPI_Finalize();
    return 0;
}
