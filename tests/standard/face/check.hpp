// Checks for the programs of this folder: the first that fails ends the job with exit code 1 and names file and line.
#pragma once

#include <weft/weft.hpp>

#include <cstdio>

inline void check(bool holds, const char* what = "", const char* file = __builtin_FILE(), int line = __builtin_LINE())
{
  if (holds) return;
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
