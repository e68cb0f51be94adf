// The operations' loops for x86 processors with AVX2. The pragmas cover our own templates only, never a standard header's,
// so that no such code can reach a processor without it. Fused multiply-add stays off: it would change results.
#if defined(__x86_64__)
#include <cstring>
#include <type_traits>

#include "data/numbers.hpp"
#include "data/operation.hpp"

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define WEFT_KERNELS avx2
#include "data/kernels.hpp"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace weft::data {

extern const KernelTable avx2_kernels;
constexpr KernelTable avx2_kernels = avx2::Filling().table();

}  // namespace weft::data
#endif
