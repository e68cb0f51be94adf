// Facts as text: an object is a list of "name: value" lines, an array of objects is a table with a column a member, an
// array of plain values is one line of words. Pure; any thread.
#pragma once

#include <string>

#include "info/sections.hpp"

namespace weft::info {

std::string as_text(const Facts& facts);

}  // namespace weft::info
