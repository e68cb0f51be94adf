// A plot as SVG text to stand inside a page: lines over numbers, or bars over names. Nothing is loaded from elsewhere; every
// mark carries its figures as a tool tip. Plain functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weft::bench::paper {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;   // x, y; of bars, x is the place of the name
};

struct Plot {
  std::string x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<std::string> x_names;                // not empty: bars
  std::vector<Series> series;
};

std::string draw(const Plot& plot);

std::string escaped(const std::string& text);      // for HTML and SVG
std::string short_number(double value);            // 1500 is 1.5k
// Round values from at most `low` to at least `high`.
std::vector<double> linear_ticks(double low, double high);
std::vector<double> log_ticks(double low, double high);

}  // namespace weft::bench::paper
