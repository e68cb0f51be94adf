// The C++ face of weft: header-only, on top of mpi.h, C++20.
//     #include <weft/weft.hpp>
//     int main(int argc, char** argv) {
//       weft::Environment environment(argc, argv);
//       auto world = weft::Comm::world();
//       const double sum = world.all_reduce(1.0 * world.rank(), weft::op::sum);
//     }
// On any MPI; counter.hpp and lock.hpp, which are not included here, need weft.h and its library.
// std::vector<bool> is no contiguous range and is refused; use std::vector<char>.
#pragma once

#include "comm.hpp"
#include "environment.hpp"
#include "error.hpp"
#include "operation.hpp"
#include "request.hpp"
#include "types.hpp"
