// weft-info options: the option table of the runtime with the values this environment gives them.
#include "os/options.hpp"

#include "info/sections.hpp"

namespace weft::info {
namespace {

const char* type_name(os::OptionType type) {
  switch (type) {
    case os::OptionType::text: return "text";
    case os::OptionType::number: return "number";
    case os::OptionType::bytes: return "bytes";
    case os::OptionType::flag: return "flag";
  }
  return "";
}

}  // namespace

Facts gather_options() {
  const Done loaded = os::load_options();
  Facts table = Facts::array();
  for (const os::OptionValue& value : os::option_values())
    table.push_back({{"option", value.option->name},
                     {"variable", os::option_variable(*value.option)},
                     {"type", type_name(value.option->type)},
                     {"value", value.text},
                     {"origin", value.origin},
                     {"help", value.option->help}});
  Facts facts;
  if (!loaded) facts["mistakes"] = loaded.failure().note;
  facts["table"] = table;
  return facts;
}

}  // namespace weft::info
