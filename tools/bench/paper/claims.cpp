// Checking the claims; see claims.hpp. A ratio is taken between points that differ in nothing but the paradigm (or inline
// and transport); told are the least and the most with where they were seen, so that one lucky point proves nothing.
#include "bench/paper/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace weft::bench::paper {
namespace {

const Measurement* find(const std::vector<Measurement>& measurements, const std::string& key) {
  for (const Measurement& one : measurements)
    if (one.plan.key == key) return &one;
  return nullptr;
}

bool has(const Record& record, const char* column) { return record.contains(column) && record[column].is_number() && record[column].get<double>() > 0; }

// Everything but the figures and what `columns` name is the same.
std::string setting_of(const Record& record, const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", record.value(column, Record()).dump(), column);
  return text;
}

struct Ratio { double value; std::string where; };

std::string range_of(std::vector<Ratio> ratios) {
  if (ratios.empty()) return "";
  std::sort(ratios.begin(), ratios.end(), [](const Ratio& a, const Ratio& b) { return a.value < b.value; });
  const Ratio &least = ratios.front(), &middle = ratios[ratios.size() / 2], &most = ratios.back();
  if (ratios.size() == 1) return fmt::format("{:.2f}x ({})", most.value, most.where);
  return fmt::format("{:.2f}x ({}) to {:.2f}x ({}), median {:.2f}x", least.value, least.where, most.value, most.where, middle.value);
}

// A claim of "up to" is judged by the most, another by the one in the middle.
enum class By : std::uint8_t { most, middle };

std::string verdict(std::vector<Ratio> ratios, double claimed, By by) {
  if (ratios.empty()) return "not measured";
  constexpr double near_enough = 0.8;
  std::sort(ratios.begin(), ratios.end(), [](const Ratio& a, const Ratio& b) { return a.value < b.value; });
  const double seen = by == By::most ? ratios.back().value : ratios[ratios.size() / 2].value;
  return seen >= near_enough * claimed ? "yes" : seen > 1 ? "ahead, but by less" : "no";
}

// WRITE-READ over each other paradigm that `against` takes, at every setting.
std::vector<Ratio> write_read_over(const Measurement& measurement, const char* column, const std::function<bool(const std::string&)>& against) {
  const std::vector<std::string> setting = {"clients"};
  std::vector<Ratio> ratios;
  for (const auto& ours : measurement.records)
    for (const auto& other : measurement.records) {
      const auto name = other.value("paradigm", std::string());
      if (ours.value("paradigm", std::string()) != "write-read" || name == "write-read" || !against(name) || !has(ours, column) || !has(other, column)) continue;
      if (setting_of(ours, setting) != setting_of(other, setting)) continue;
      ratios.push_back({ours[column].get<double>() / other[column].get<double>(), fmt::format("{}, {}", name, setting_of(other, setting))});
    }
  return ratios;
}

Claim about_write_read(const Measurement& measurement, const char* paper, double claimed, By by, const std::function<bool(const std::string&)>& against) {
  const std::vector<Ratio> ratios = write_read_over(measurement, "requests/s", against);
  return {paper, range_of(ratios), verdict(ratios, claimed, by), measurement.command};
}

// Latency: below one is better, everywhere.
Claim about_latency(const Measurement& measurement) {
  const std::vector<Ratio> ratios = write_read_over(measurement, "p50 us", [](const std::string&) { return true; });
  const bool best = std::all_of(ratios.begin(), ratios.end(), [](const Ratio& one) { return one.value <= 1; });
  return {"WRITE-READ has the best latency (median here, its own over the other's)", range_of(ratios), ratios.empty() ? "not measured" : best ? "yes" : "no",
          measurement.command};
}

// The best over the worst of inline and transport for the same operation and size.
Claim about_inline(const Measurement& measurement) {
  std::vector<Ratio> ratios;
  for (const auto& best : measurement.records)
    for (const auto& worst : measurement.records) {
      if (!has(best, "ops/s") || !has(worst, "ops/s") || best["operation"] != worst["operation"] || best["bytes"] != worst["bytes"]) continue;
      const double value = best["ops/s"].get<double>() / worst["ops/s"].get<double>();
      if (value < 1 || &best == &worst) continue;
      const auto name = [](const Record& record) {
        return record["transport"].get<std::string>() + (record["inline"] == "on" ? " inline" : "");
      };
      ratios.push_back({value, fmt::format("{} over {}, {} of {} bytes", name(best), name(worst), best["operation"].get<std::string>(), best["bytes"].dump())});
    }
  return {"Inline and the right transport gain up to 4.9x", range_of(ratios), verdict(ratios, 4.9, By::most), measurement.command};
}

}  // namespace

std::vector<Claim> check_claims(const std::vector<Measurement>& measurements) {
  std::vector<Claim> claims;
  if (const Measurement* paradigms = find(measurements, "paradigms")) {
    const auto is = [](const char* wanted) { return [wanted](const std::string& name) { return name == wanted; }; };
    claims.push_back(about_write_read(*paradigms, "WRITE-READ answers up to 10x the requests of the others", 10, By::most, [](const std::string&) { return true; }));
    claims.push_back(about_write_read(*paradigms, "2.4x those of WRITE-WRITE", 2.4, By::middle, is("write-write")));
    claims.push_back(about_write_read(*paradigms, "3.9x those of READ-READ", 3.9, By::middle, is("read-read")));
    claims.push_back(about_latency(*paradigms));
  }
  if (const Measurement* in_line = find(measurements, "inline")) claims.push_back(about_inline(*in_line));
  return claims;
}

std::vector<Claim> compare_with_raw(const std::vector<Measurement>& measurements) {
  constexpr double allowed = 1.15;
  const Measurement* raw = find(measurements, "operations");
  const Measurement* weft = find(measurements, "beside");
  std::vector<Claim> rows;
  if (raw == nullptr || weft == nullptr) return rows;
  for (const auto& [operation, paradigm] : {std::pair("WRITE", "write-write"), std::pair("SEND", "send-send")})
    for (const auto& ours : weft->records)
      for (const auto& theirs : raw->records) {
        if (ours.value("paradigm", "") != paradigm || theirs.value("operation", "") != operation || !has(ours, "median") || !has(theirs, "p50 us")) continue;
        const double ours_us = ours["median"].get<double>() / 1e3, theirs_us = theirs["p50 us"].get<double>();
        rows.push_back({fmt::format("weft's {} over a raw {}, 8 bytes one way, at most {}x", paradigm, operation, allowed),
                        fmt::format("{:.2f}x ({:.1f} us over {:.1f} us)", ours_us / theirs_us, ours_us, theirs_us), ours_us <= allowed * theirs_us ? "yes" : "no",
                        weft->command});
      }
  return rows;
}

}  // namespace weft::bench::paper
