/* Packs one shape under callgrind, between toggles; packing.py divides the count by the blocks. argv[1]: the shape. Alone. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

enum { blocks = 4096 };

static double memory[64 * blocks];
static char packed[64 * blocks];

static MPI_Datatype shape(const char* name)
{
  MPI_Datatype type = MPI_DATATYPE_NULL, part;
  static int places[blocks];
  const int cube[4] = {16, 16, 16, 16}, inside[4] = {16, 16, 16, 1}, start[4] = {0, 0, 0, 3};
  for (int i = 0; i < blocks; ++i) places[i] = i * 37 % blocks * 2;
  if (!strcmp(name, "strided")) MPI_Type_vector(blocks, 1, 2, MPI_DOUBLE, &type);
  if (!strcmp(name, "subarray")) MPI_Type_create_subarray(4, cube, inside, start, MPI_ORDER_C, MPI_DOUBLE, &type);
  if (!strcmp(name, "listed")) MPI_Type_create_indexed_block(blocks, 1, places, MPI_DOUBLE, &type);
  if (!strcmp(name, "structs")) {
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &part);
    MPI_Type_contiguous(blocks / 2, part, &type);
  }
  MPI_Type_commit(&type);
  return type;
}

int main(int argc, char** argv)
{
  int position = 0, size;
  MPI_Datatype type;
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  type = shape(argv[1]);
  MPI_Pack_size(1, type, MPI_COMM_SELF, &size);
  if (size < 12 * blocks / 2) return 3;
  for (int pass = 0; pass < 2; ++pass) { /* the first binds symbols */
    position = 0;
    if (pass == 1) CALLGRIND_TOGGLE_COLLECT;
    MPI_Pack(memory, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
    if (pass == 1) CALLGRIND_TOGGLE_COLLECT;
  }
  MPI_Finalize();
  return position == size ? 0 : 4;
}
