// Scrubbing and setting.
#include "launcher/environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

extern char** environ;

namespace weft::launcher {
namespace {

// Identity of a rank of some job. PMIX_MCA_* are the user's tuning of PMIx and stay.
bool is_trace(std::string_view entry) {
  constexpr std::string_view traces[] = {"PMIX_",         "PMI_",           "OMPI_COMM_WORLD_", "OMPI_MCA_orte_", "OMPI_MCA_ess",
                                         "PRTE_",         "MPI_LOCAL",      "HYDI_",            "HYDRA_",         "NS_META_SEG_SIZE=",
                                         "NS_DATA_SEG_SIZE=", "WEFT_LAUNCHER=", "WEFT_NODE_JOB="};
  if (entry.starts_with("PMIX_MCA_")) return false;
  return std::any_of(std::begin(traces), std::end(traces), [entry](std::string_view trace) { return entry.starts_with(trace); });
}

}  // namespace

Environment Environment::inherited() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!is_trace(*entry)) environment.entries_.emplace_back(*entry);
  return environment;
}

void Environment::set(const std::string& name, const std::string& value) {
  const std::string head = name + "=";
  std::erase_if(entries_, [&head](const std::string& entry) { return entry.starts_with(head); });
  entries_.push_back(head + value);
}

void scrub_own_environment() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (is_trace(*entry)) names.emplace_back(std::string_view(*entry).substr(0, std::string_view(*entry).find('=')));
  for (const std::string& name : names) (void)::unsetenv(name.c_str());
}

}  // namespace weft::launcher
