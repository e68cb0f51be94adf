// Sizes and bounds of a datatype from its recipe, by the rules of the standard's typemaps. Used by construct.cpp.
#pragma once

#include "data/datatype.hpp"

namespace weft::data {

// Fills size, elements, basic, alignment, bounds and true bounds. False when a value passes 64 bits.
bool derive_bounds(Datatype* type, const Recipe& recipe);

}  // namespace weft::data
