// Integers for handles, as Fortran and MPI_Comm_toint have them: a predefined handle is its own number, an object gets one
// when it is first asked for. Objects live in pools, so an address keeps its integer for good. Under the runtime lock.
#pragma once

#include <cstdint>

namespace weft::comm {

int integer_of(std::uintptr_t handle);
std::uintptr_t handle_of_integer(int integer) noexcept;    // 0 for an integer that was never given out

}  // namespace weft::comm
