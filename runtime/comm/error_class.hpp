// MPI's error classes and codes: the table from Status, the words for each class, and the classes, codes and strings the
// program adds at run time. A code of weft's own is its class. Called by api, under the runtime lock.
#pragma once

#include <string_view>

#include "os/status.hpp"

namespace weft::comm {

int error_class_of(Status status) noexcept;
const char* error_class_name(int error_class) noexcept;      // "MPI_ERR_TAG"; "" for none of mpi.h's
const char* error_words(int code);                           // "the tag is outside its range"; null: no such code
int error_class_of_code(int code);                           // -1: no such code

// The program's own. Codes and classes come from one sequence above MPI_ERR_LASTCODE.
int last_used_code() noexcept;
void* last_used_code_attribute() noexcept;                   // where MPI_LASTUSEDCODE points to
int add_error_class();
int add_error_code(int error_class);                         // -1: no such class
bool add_error_string(int code, std::string_view text);      // false: not one the program added
// False when the program did not add it, or it is in use still (a class with codes, a code or class with a string).
bool remove_error_class(int error_class);
bool remove_error_code(int code);
bool remove_error_string(int code);

}  // namespace weft::comm
