// MPI_Alloc_mem, MPI_Free_mem: plain memory on cache-line boundaries. Any memory serves weft equally well.
#include <cstdlib>

#include "api/api.hpp"

using namespace weft;

WEFT_API(int, Alloc_mem)(MPI_Aint size, MPI_Info, void* baseptr) {
  constexpr const char* call = "MPI_Alloc_mem";
  constexpr std::size_t line_bytes = 64;
  const api::Guard guard(call);
  if (size < 0) return api::raise(nullptr, MPI_ERR_ARG, call, "size", size, "0 or more");
  if (baseptr == nullptr) return api::null_argument(nullptr, call, "baseptr");
  void* memory = nullptr;
  if (::posix_memalign(&memory, line_bytes, size == 0 ? 1 : static_cast<std::size_t>(size)) != 0)
    return api::raise(nullptr, MPI_ERR_NO_MEM, call, "size", size, "what the host has left");
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

WEFT_API(int, Free_mem)(void* base) {
  const api::Guard guard("MPI_Free_mem");
  std::free(base);
  return MPI_SUCCESS;
}
