// WEFT_REQUIRE(condition): an invariant of weft itself. When it does not hold, the process says which rank on which host
// broke which expression, once, and ends with SIGABRT; the launcher then ends the job. Never used for bad user input.
#pragma once

namespace weft::os {

[[noreturn]] void require_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace weft::os

#define WEFT_REQUIRE(condition) \
  (__builtin_expect(static_cast<bool>(condition), 1) ? void(0) : ::weft::os::require_failed(#condition, __FILE__, __LINE__))
