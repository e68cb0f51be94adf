// Their values: integers whose address is handed out.
#include "comm/predefined_attribute.hpp"

#include <mpi.h>

#include <climits>

#include "comm/error_class.hpp"

namespace weft::comm {
namespace {

int tag_upper_bound = INT_MAX;
int host = MPI_PROC_NULL;             // no process is a host to the others
int io = MPI_ANY_SOURCE;              // every process can do file input and output
int clock_is_global = 0;
int universe = -1;
int application = -1;

}  // namespace

bool predefined_attribute(int keyval, void*& value) noexcept {
  switch (keyval) {
    case MPI_TAG_UB: value = &tag_upper_bound; return true;
    case MPI_HOST: value = &host; return true;
    case MPI_IO: value = &io; return true;
    case MPI_WTIME_IS_GLOBAL: value = &clock_is_global; return true;
    case MPI_UNIVERSE_SIZE: value = universe < 0 ? nullptr : &universe; return true;
    case MPI_APPNUM: value = application < 0 ? nullptr : &application; return true;
    case MPI_LASTUSEDCODE: value = last_used_code_attribute(); return true;
    default: return false;
  }
}

void set_universe(int universe_size, int application_number) noexcept {
  universe = universe_size;
  application = application_number;
}

}  // namespace weft::comm
