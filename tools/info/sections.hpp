// The sections of weft-info: each gathers its facts as JSON, one file each; render.hpp turns any of them into text, so what
// people read and what programs read cannot differ. Called once, by main.cpp, on one thread.
#pragma once

#include <nlohmann/json.hpp>

namespace weft::info {

using Facts = nlohmann::ordered_json;

Facts gather_version();     // weft, the standard, compilers, libraries
Facts gather_topology();    // this machine and the processors we may use
Facts gather_fabrics();     // each fabric: may it be used, does it open here, what can it do
Facts gather_paradigms();   // the paradigms; in a job, the one for each peer and why
Facts gather_options();     // every option: value, where it came from, help
Facts gather_calls();       // which of the standard's calls the library has

}  // namespace weft::info
