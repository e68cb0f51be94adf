// weft-bench paper: runs the plan, writes the files; see paper.hpp.
#include "bench/paper/paper.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <set>
#include <thread>

#include "bench/experiment.hpp"
#include "bench/paper/claims.hpp"
#include "bench/paper/figures.hpp"
#include "bench/paper/page.hpp"

namespace weft::bench {
namespace {

using namespace paper;

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
  return text.data();
}

Record facts_of(const PaperSettings& settings, const std::vector<Measurement>& measurements) {
  Record facts = {{"host", host_name()}, {"when", date_text()}, {"processors", std::thread::hardware_concurrency()},
                  {"fabrics", settings.fabrics.empty() ? "chosen by weft" : settings.fabrics}};
  for (const char* name : {"library", "device"})
    for (const Measurement& measurement : measurements)
      if (measurement.facts.contains(name)) facts[name] = measurement.facts[name];
  if (!facts.contains("device")) facts["device"] = "no RDMA device: figures 5 to 12 are not measured";
  if (settings.quick) facts["quick"] = "few and very short measurements: they show that it works and nothing else";
  if (const unsigned cores = std::thread::hardware_concurrency(); cores <= static_cast<unsigned>(settings.clients))
    facts["crowded"] = fmt::format("{} clients and their server share {} processors: with more ranks than those the system's scheduler is measured too",
                                   settings.clients, cores);
  return facts;
}

Record document_of(const Record& facts, const std::vector<Measurement>& measurements, const std::vector<Claim>& claims) {
  Record document = {{"facts", facts}, {"claims", Records::array()}, {"beside raw", Records::array()}, {"figures", Records::array()}, {"measurements", Record::object()}};
  for (const Claim& claim : claims)
    document["claims"].push_back({{"paper", claim.paper}, {"seen", claim.seen}, {"holds", claim.holds}, {"command", claim.command}});
  for (const Claim& claim : compare_with_raw(measurements))
    document["beside raw"].push_back({{"asked", claim.paper}, {"seen", claim.seen}, {"holds", claim.holds}, {"command", claim.command}});
  for (const Figure& figure : figures())
    document["figures"].push_back({{"key", figure.key}, {"title", figure.title}, {"measurement", figure.measurement}, {"x", figure.x}, {"y", figure.y}});
  for (const Measurement& one : measurements)
    document["measurements"][one.plan.key] = {{"command", one.command}, {"facts", one.facts}, {"notes", one.notes}, {"records", one.records}};
  return document;
}

bool write_files(const PaperSettings& settings, const std::vector<Measurement>& measurements) {
  std::vector<Claim> claims = check_claims(measurements);
  for (Claim& claim : claims)
    if (settings.quick && !claim.seen.empty()) claim.holds = "not judged: quick";
  const Record facts = facts_of(settings, measurements);
  bool written = write_text(document_of(facts, measurements, claims).dump(1) + "\n", settings.out + "/paper.json") &&
                 write_text(make_page(facts, measurements, claims, compare_with_raw(measurements)), settings.out + "/paper.html");
  for (const Figure& figure : figures())
    for (const Measurement& measurement : measurements)
      if (written && measurement.plan.key == figure.measurement && !measurement.records.empty())
        written = write_text(records_as_csv(measurement.records), fmt::format("{}/{}.csv", settings.out, figure.key));
  Records table = Records::array();
  for (const Claim& claim : claims)
    table.push_back({{"the paper says", claim.paper}, {"holds here", claim.holds}, {"seen here", claim.seen.empty() ? Record() : Record(claim.seen)}});
  return written && write_text(records_as_table(table), "");
}

}  // namespace

int run_paper(const PaperSettings& settings) {
  std::error_code error;
  std::filesystem::create_directories(settings.out, error);
  if (error) {
    fmt::print(stderr, "weft-bench paper: folder {}: {}\n", settings.out, error.message());
    return exit_failed;
  }
  Runner runner(settings.launch, settings.fabrics.empty() ? "" : "--fabrics " + settings.fabrics);
  std::vector<Measurement> measurements;
  std::set<std::string> told;
  for (const MeasurementPlan& plan : plan_measurements(settings)) {
    const auto begin = std::chrono::steady_clock::now();
    measurements.push_back(runner.run(plan));
    const Measurement& last = measurements.back();
    fmt::print(stderr, "{}: {} points in {:.1f} s\n", plan.key, last.records.size(), std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    for (const std::string& note : last.notes)
      if (told.insert(note).second) fmt::print(stderr, "  {}\n", note);
  }
  if (!write_files(settings, measurements)) return exit_failed;
  fmt::print("{}/paper.html, paper.json and a CSV for each figure\n", settings.out);
  return runner.anything_failed() ? exit_failed : exit_done;
}

}  // namespace weft::bench
