// Writing the page; see page.hpp.
#include "bench/paper/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/paper/figures.hpp"
#include "bench/paper/plot.hpp"

namespace weft::bench::paper {
namespace {

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>weft: the paper's figures on this machine</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; }
table { border-collapse: collapse; margin: .5rem 0; font-size: 14px; } td, th { border-bottom: 1px solid #ccc; padding: .2rem .6rem; text-align: left; }
.figures td { text-align: right; white-space: nowrap; } .scroll { overflow-x: auto; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; } svg text { fill: #333; } .grid { stroke: #ddd; } .axis { stroke: #666; }
code { font-size: 13px; background: #f2f2f2; padding: 0 .25rem; overflow-wrap: anywhere; } .note { color: #8a3b00; } figure { margin: 0 0 2.5rem; }
</style></head><body>
)";

std::string cell(const Record& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return escaped(value.get<std::string>());
  return value.is_number_float() ? short_number(value.get<double>()) : value.dump();
}

std::string table_of(const Records& records) {
  if (records.empty()) return "";
  std::string text = "<details><summary>figures</summary><div class='scroll'><table class='figures'>\n<tr>";
  std::vector<std::string> names;
  for (const auto& record : records)
    for (const auto& [name, value] : record.items())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (const std::string& name : names) text += "<th>" + escaped(name) + "</th>";
  for (const auto& record : records) {
    text += "</tr>\n<tr>";
    for (const std::string& name : names) text += "<td>" + cell(record.contains(name) ? record[name] : Record()) + "</td>";
  }
  return text + "</tr>\n</table></div></details>\n";
}

std::string claims_table(const char* title, const std::vector<Claim>& claims) {
  std::string text = fmt::format("<table class='claims'>\n<tr><th>{}</th><th>seen here</th><th>holds here</th><th>by</th></tr>\n", title);
  for (const Claim& claim : claims)
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>\n", escaped(claim.paper), claim.seen.empty() ? "-" : escaped(claim.seen),
                        escaped(claim.holds), escaped(claim.command));
  return text + "</table>\n";
}

std::string figure_of(const Figure& figure, const Measurement& measurement) {
  std::string text = fmt::format("<figure id='{}'><h3>{}</h3><p>{}</p>\n", figure.key, escaped(figure.title), escaped(figure.asks));
  const Plot plot = plot_of(figure, measurement.records);
  if (!plot.series.empty()) text += draw(plot);
  for (const std::string& note : measurement.notes) text += fmt::format("<p class='note'>{}</p>\n", escaped(note));
  return text + fmt::format("<p><code>{}</code> &middot; <a href='{}.csv'>{}.csv</a></p>\n{}</figure>\n", escaped(measurement.command), figure.key, figure.key,
                            table_of(measurement.records));
}

}  // namespace

std::string make_page(const Record& facts, const std::vector<Measurement>& measurements, const std::vector<Claim>& claims,
                      const std::vector<Claim>& beside_raw) {
  std::string text = head;
  text += "<h1>The paper's figures on this machine</h1>\n<p>Hemmatpour, Montrucchio, Rebaudengo: Communicating Efficiently on Cluster-Based RDMA over "
          "InfiniBand Protocol, Applied Sciences 8(11):2034, 2018. The paper's claims are taken as hypotheses: every paradigm runs under the same program "
          "and the same care, latencies are of single requests that were really timed, and CPU is what the system counted for each side (1 is one "
          "core).</p>\n<table>\n";
  for (const auto& [name, value] : facts.items()) text += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), cell(value));
  text += "</table>\n<h2>Claims</h2>\n" + claims_table("the paper says", claims) +
          "<p>Told are the least and the most of the ratios between points that differ in nothing else. Not repeated here: the application (HydraDB, up to "
          "7x for Put).</p>\n";
  if (!beside_raw.empty()) text += "<h2>weft beside the raw device</h2>\n" + claims_table("what is asked of weft", beside_raw);
  text += "<h2>Figures</h2>\n";
  for (const Figure& figure : figures())
    for (const Measurement& measurement : measurements)
      if (measurement.plan.key == figure.measurement) text += figure_of(figure, measurement);
  return text + "</body></html>\n";
}

}  // namespace weft::bench::paper
