// Every knob of weft stands in one table: name, environment variable, default, help. A value comes from the environment
// (WEFT_*); the launcher's flags only set that. Unknown WEFT_* names are found, with the nearest real one. Read once, at
// load_options(), by one thread, before anything else of the runtime; const afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/expected.hpp"

namespace weft::os {

enum class OptionType { text, number, bytes, flag };

struct Option {
  const char* name;          // "eager-limit"; its variable is WEFT_EAGER_LIMIT
  OptionType type;
  const char* fallback;      // default, as text
  const char* help;          // one sentence, with the unit
};

struct OptionValue {
  const Option* option;
  std::string text;          // as given, or the default
  std::string origin;        // "default", "WEFT_EAGER_LIMIT"
  std::int64_t number = 0;   // for number, bytes (with k, M, G suffix) and flag (0, 1)
};

std::span<const Option> option_table() noexcept;
std::string option_variable(const Option& option);

// Reads the environment. A bad value gives a Failure whose note names variable, value and what is allowed.
Done load_options();
// WEFT_* names in the environment that are no option, each with the nearest real one; "" when there are none. To be told
// once a job.
const std::string& unknown_options();
std::span<const OptionValue> option_values();

// By name; the name must be in the table.
std::int64_t option_number(std::string_view name);
const std::string& option_text(std::string_view name);
bool option_is_set(std::string_view name);      // by somebody, not by default

}  // namespace weft::os
