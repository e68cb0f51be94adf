// A program built for the standard's binary interface asks for libmpi_abi.so.0, whoever's it is. Under weftrun it gets weft's:
// the folder with that name, and no other file a program could ask for, comes first where the loader looks.
#pragma once

#include <string>
#include <vector>

namespace weft::launcher {

// Puts the folder at the head of LD_LIBRARY_PATH among the NAME=VALUE entries. Where weft's libraries aren't found (the
// launcher was copied out of its place) the entries stay as they are.
void lead_to_library(std::vector<std::string>& environment);

}  // namespace weft::launcher
