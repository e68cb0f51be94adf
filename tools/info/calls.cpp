// weft-info calls: which calls of the standard the library beside this program has. The names come from
// mpi_calls.inc, the answer from the loaded library itself, so it cannot be out of date.
#include "info/loaded_library.hpp"
#include "info/sections.hpp"

namespace weft::info {
namespace {

constexpr const char* names[] = {
#define WEFT_MPI_CALL(name) #name,
#include "mpi_calls.inc"
#undef WEFT_MPI_CALL
};

}  // namespace

Facts gather_calls() {
  Facts missing = Facts::array();
  std::size_t present = 0;
  for (const char* name : names) {
    if (library_symbol(name) != nullptr) ++present;
    else missing.push_back(name);
  }
  return {{"standard", std::size(names)}, {"present", present}, {"missing count", missing.size()}, {"missing", missing}};
}

}  // namespace weft::info
