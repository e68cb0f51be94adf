// weft-info: what weft is and sees here. Facts only; changes nothing. In a job (weftrun -n 4 weft-info paradigms) the
// paradigms are those of the job's ranks, told by rank 0.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "boot/job.hpp"
#include "info/membership.hpp"
#include "info/render.hpp"
#include "info/sections.hpp"

namespace {

using namespace weft::info;

struct Section {
  const char* name;
  const char* help;
  Facts (*gather)();
};

constexpr Section sections[] = {
    {"version", "versions of weft, the standard, the compiler and the libraries", gather_version},
    {"topology", "this machine and the processors we may use", gather_topology},
    {"fabrics", "how bytes can move here, and what each fabric can do", gather_fabrics},
    {"paradigms", "how a pair of ranks talks; in a job, the choice for each peer and its reason", gather_paradigms},
    {"options", "every option: type, value, origin, help", gather_options},
    {"calls", "which calls of the standard the library has", gather_calls},
};

void tell(const CLI::App& app, bool json) {
  const bool overview = app.get_subcommands().empty();
  Facts all;
  std::string text;
  for (const Section& section : sections) {
    if (!overview && !app.got_subcommand(section.name)) continue;
    all[section.name] = section.gather();
    if (overview && !json) all[section.name].erase("missing");   // the long list: weft-info calls
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", section.name, as_text(all[section.name]));
  }
  fmt::print("{}", json ? all.dump(2) + "\n" : text);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tells what weft is and sees here; without a section, all of them.");
  app.name("weft-info");
  bool json = false;
  app.add_flag("--json", json, "print JSON");
  for (const Section& section : sections) app.add_subcommand(section.name, section.help)->fallthrough();
  app.require_subcommand(0, 1);
  CLI11_PARSE(app, argc, argv);

  Membership membership;
  if (const weft::Done joined = membership.join(); !joined) {
    fmt::print(stderr, "weft-info: {}\n", joined.failure().note);
    return 1;
  }
  if (weft::boot::job().rank == 0) tell(app, json);
  return 0;
}
