// Generalized requests (MPI 5.0, 13.2): the program says when they are done and what their status is. Called by api/.
#pragma once

#include <mpi.h>

#include "match/request.hpp"

namespace weft::comm {

match::Request* start_generalized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free, MPI_Grequest_cancel_function* cancel,
                                  void* state);
void complete_generalized(match::Request* request);   // wakes whoever waits for it

}  // namespace weft::comm
