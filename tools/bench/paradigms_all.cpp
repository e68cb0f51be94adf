// weft-bench paradigms --all: a job for each paradigm, one report. The paradigm is a job's own, chosen when MPI starts, so that
// this program is no job itself.
#include <fmt/format.h>

#include "bench/paper/measurement.hpp"
#include "bench/paradigms.hpp"

namespace weft::bench {

int run_all_paradigms(const ParadigmsSettings& settings) {
  paper::MeasurementPlan plan{"paradigms", "paradigms", "", settings.ranks, split_words(settings.paradigms)};
  plan.options = fmt::format("--sizes {} --windows {} --servers {} --pollers {} --seconds {}", settings.sizes, settings.windows, settings.servers,
                             settings.pollers, settings.seconds);
  if (!settings.clients.empty()) plan.options += " --clients " + settings.clients;
  paper::Runner runner(settings.launch, "");
  const paper::Measurement measurement = runner.run(plan);
  for (const std::string& note : measurement.notes) fmt::print(stderr, "weft-bench paradigms: {}\n", note);
  if (!write_records(measurement.facts, measurement.records, settings.output)) return exit_failed;
  return runner.anything_failed() ? exit_failed : measurement.records.empty() ? exit_unavailable : exit_done;
}

}  // namespace weft::bench
