// What the program's user wants instead of the table's choice: WEFT_ALGORITHMS=allreduce:ring,broadcast:chain. Used where
// the algorithm is able; must be the same on all ranks, like every option. Read once, under the runtime lock.
#pragma once

#include "coll/choose.hpp"

namespace weft::coll {

const Algorithm& choose_or_prefer(const Facts& facts);

}  // namespace weft::coll
