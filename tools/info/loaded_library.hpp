// The library beside this program, asked for names at run time: weft-info itself is made from the runtime's archive, and the
// library is what programs get. Main thread.
#pragma once

#include <dlfcn.h>

namespace weft::info {

// The address of a function of the library, or null when it has none or can't be loaded.
inline void* library_symbol(const char* name) {
  static void* const library = dlopen("libweft.so.0", RTLD_NOW | RTLD_LOCAL);   // by the run path of this program
  return library != nullptr ? dlsym(library, name) : nullptr;
}

}  // namespace weft::info
