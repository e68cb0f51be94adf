// Running measurements; see measurement.hpp.
#include "bench/paper/measurement.hpp"

#include <fmt/format.h>

#include "bench/experiment.hpp"
#include "bench/launch.hpp"

namespace weft::bench::paper {
namespace {

constexpr int longest_job_seconds = 300;
constexpr const char* same_way = "-x WEFT_DIRECT=0";   // over shm write-write has a short way that the others have not: no rival is handicapped

std::string words(std::initializer_list<std::string> parts) {
  std::string line;
  for (const std::string& part : parts)
    if (!part.empty()) line += (line.empty() ? "" : " ") + part;
  return line;
}

// The runtime refuses a paradigm that the fabric can't carry, naming what is missing; empty: it failed otherwise.
std::string refusal_of(const Launched& job, const std::string& paradigm) {
  if (paradigm.empty()) return "";
  const std::string reason = reason_of(job);
  for (const std::string& beginning : {"paradigm " + paradigm, std::string("no such link")})
    if (const std::size_t place = reason.find(beginning); place != std::string::npos)
      return fmt::format("{}: not offered by this fabric ({})", paradigm, reason.substr(place));
  return "";
}

// Rows of the older subcommands and records of the experiments alike.
bool take_records(const std::string& text, const std::string& paradigm, Measurement& measurement) {
  const Record document = Record::parse(text, nullptr, false);
  if (!document.is_object()) return false;
  for (const char* list : {"records", "rows"})
    if (document.contains(list))
      for (Record record : document[list]) {
        if (!paradigm.empty()) record["paradigm"] = paradigm;
        measurement.records.push_back(std::move(record));
      }
  for (const auto& [name, value] : document.items())
    if (value.is_primitive() && !measurement.facts.contains(name)) measurement.facts[name] = value;
  return true;
}

}  // namespace

std::string Runner::missing_of(const std::string& what) const {
  for (const auto& [name, reason] : missing_)
    if (name == what) return reason;
  return "";
}

void Runner::run_job(const MeasurementPlan& plan, const std::string& paradigm, Measurement& measurement) {
  const std::string& what = paradigm.empty() ? plan.subcommand : paradigm;
  if (const std::string reason = missing_of(what); !reason.empty()) {
    measurement.notes.push_back(reason);
    return;
  }
  const std::string flags = words({fmt::format("-n {}", plan.ranks), paradigm.empty() ? "" : "--paradigm " + paradigm, plan.paradigms.empty() ? "" : same_way, flags_});
  const Launched job = launch(words({launch_.empty() ? launcher_beside() : launch_, fmt::format("--timeout {}", longest_job_seconds), flags, own_path(),
                                     plan.subcommand, plan.options, "--format json"}));
  if (job.code == exit_done && take_records(job.out, paradigm, measurement)) return;
  std::string missing = refusal_of(job, paradigm);
  if (job.code == exit_unavailable) missing = reason_of(job);
  if (!missing.empty()) {
    missing_.emplace_back(what, missing);
    measurement.notes.push_back(missing);
    return;
  }
  anything_failed_ = true;
  measurement.notes.push_back(fmt::format("{} failed: {}", what, reason_of(job)));
}

Measurement Runner::run(const MeasurementPlan& plan) {
  Measurement measurement;
  measurement.plan = plan;
  measurement.command = words({launch_.empty() ? "weftrun" : launch_, fmt::format("-n {}", plan.ranks), plan.paradigms.empty() ? "" : "--paradigm PARADIGM",
                               plan.paradigms.empty() ? "" : same_way, flags_, "weft-bench", plan.subcommand, plan.options});
  if (plan.paradigms.empty()) run_job(plan, "", measurement);
  for (const std::string& paradigm : plan.paradigms) run_job(plan, paradigm, measurement);
  return measurement;
}

}  // namespace weft::bench::paper
