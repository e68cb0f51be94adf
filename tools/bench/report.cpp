// Writing the result as table, CSV or JSON; see report.hpp.
#include "bench/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/records.hpp"

namespace weft::bench {
namespace {

std::string figure(double value) {
  if (value == 0) return "-";
  if (value < 10) return fmt::format("{:.3f}", value);
  return value < 10000 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string as_table(const Report& report, const Job& job) {
  std::string text = fmt::format("weft-bench {}: {} rank{}, host {}, {}\n", report.command, job.size, job.size == 1 ? "" : "s",
                                 job.host, job.library);
  if (!job.own_cores) text += "more ranks than processors: the limit is a hand-off by sleeping and waking\n";
  text += fmt::format("{:<22} {:>8} {:>5} {:>10} {:>10} {:>10} {:>10} {:>7}  {}\n", "operation", "bytes", "unit", "median",
                      "p10", "p99", "limit", "ratio", "limited by");
  for (const Row& row : report.rows)
    text += fmt::format("{:<22} {:>8} {:>5} {:>10} {:>10} {:>10} {:>10} {:>7}  {}\n", row.operation, size_text(row.bytes),
                        row.unit, figure(row.value.median), figure(row.value.p10), figure(row.value.p99), figure(row.limit),
                        row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "-", row.limit_name);
  return text;
}

std::string as_csv(const Report& report, const Job& job) {
  std::string text = "command,operation,bytes,ranks,unit,median,p10,p99,windows,limit,ratio,limited_by\n";
  for (const Row& row : report.rows)
    text += fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.6g},{},{:.6g},{:.4g},{}\n", report.command, row.operation, row.bytes,
                        job.size, row.unit, row.value.median, row.value.p10, row.value.p99, row.windows, row.limit, row.ratio,
                        row.limit_name);
  return text;
}

std::string as_json(const Report& report, const Job& job) {
  nlohmann::ordered_json document = {{"command", report.command}, {"library", job.library},    {"host", job.host},
                                     {"ranks", job.size},         {"own_cores", job.own_cores}, {"rows", nlohmann::json::array()}};
  for (const Row& row : report.rows) {
    nlohmann::ordered_json entry = {{"operation", row.operation},  {"bytes", row.bytes},       {"unit", row.unit},
                                    {"median", row.value.median}, {"p10", row.value.p10},     {"p99", row.value.p99},
                                    {"windows", row.windows}};
    if (row.limit > 0) entry.update({{"limit", row.limit}, {"limited_by", row.limit_name}, {"ratio", row.ratio}});
    document["rows"].push_back(entry);
  }
  return document.dump(2) + "\n";
}

}  // namespace

bool write_report(const Report& report, const Job& job, const Settings& settings) {
  const std::string text = settings.format == "json"  ? as_json(report, job)
                           : settings.format == "csv" ? as_csv(report, job)
                                                      : as_table(report, job);
  return write_text(text, settings.out);
}

}  // namespace weft::bench
