// Checks for the programs of this folder: the first that fails ends the job with exit code 1 and names file and line.
#pragma once

#include <weft/weft.hpp>

#include <cstdio>
#include <source_location>

inline void check(bool holds, const char* what = "", std::source_location place = std::source_location::current())
{
  if (holds) return;
  std::fprintf(stderr, "%s:%u: does not hold: %s\n", place.file_name(), place.line(), what);
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
