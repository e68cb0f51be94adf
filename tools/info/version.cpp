// weft-info version: what was built, with what, and what the loaded library says of itself.
#include <dlfcn.h>
#include <fmt/core.h>
#include <hwloc.h>
#include <mpi.h>
#include <pmix_version.h>

#include <array>
#include <string>

#include "info/loaded_library.hpp"
#include "info/sections.hpp"

namespace weft::info {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang++ " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string library_says() {
  using GetVersion = int (*)(char*, int*);
  const auto get_version = reinterpret_cast<GetVersion>(library_symbol("MPI_Get_library_version"));
  if (get_version == nullptr) return "no MPI library is loaded";
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  get_version(text.data(), &length);
  return text.data();
}

std::string library_file() {
  Dl_info where{};
  void* symbol = library_symbol("MPI_Init");
  return symbol != nullptr && dladdr(symbol, &where) != 0 ? where.dli_fname : "";
}

}  // namespace

Facts gather_version() {
  const unsigned hwloc = hwloc_get_api_version();
  return {{"weft", WEFT_VERSION},
          {"library", library_says()},
          {"library file", library_file()},
          {"standard", fmt::format("MPI {}.{}, ABI {}.{}", MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION)},
          {"compiler", compiler()},
          {"C++", __cplusplus},
          {"PMIx", fmt::format("{}.{}.{}", PMIX_VERSION_MAJOR, PMIX_VERSION_MINOR, PMIX_VERSION_RELEASE)},
          {"hwloc", fmt::format("{}.{}.{}", hwloc >> 16, (hwloc >> 8) & 0xff, hwloc & 0xff)}};
}

}  // namespace weft::info
