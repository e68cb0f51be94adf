// The types of MPI_Type_create_f90_real and its kin: a predefined type under parameters. The same parameters give the same
// object, which lives as long as the process; operations take it as they take the predefined type. Called by api/.
#pragma once

#include "data/datatype.hpp"

namespace weft::data {

// `combiner` and the parameters are what MPI_Type_get_envelope and get_contents will answer. Null when memory is out.
Datatype* parametrised(int combiner, std::span<const int> parameters, const Datatype* base);

}  // namespace weft::data
