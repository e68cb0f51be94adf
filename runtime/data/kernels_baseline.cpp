// The operations' loops for the instruction set the library is built for, and the choice between the sets at start.
#define WEFT_KERNELS baseline
#include "data/kernels.hpp"

namespace weft::data {
namespace {

constexpr KernelTable table = baseline::Filling().table();

}  // namespace

#if defined(__x86_64__)
extern const KernelTable avx2_kernels;
#endif

constinit const KernelTable* kernels = &table;

namespace {

[[gnu::constructor]] void choose_kernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) kernels = &avx2_kernels;
#endif
}

}  // namespace
}  // namespace weft::data
