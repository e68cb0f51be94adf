// The paper's figures as data: what each asks, which measurement answers it, and how it is drawn. Pure data and functions.
#pragma once

#include <string>
#include <vector>

#include "bench/paper/measurement.hpp"
#include "bench/paper/paper.hpp"
#include "bench/paper/plot.hpp"

namespace weft::bench::paper {

struct Figure {
  std::string key;                        // "fig07"
  std::string title;
  std::string asks;                       // what it is about, in a sentence
  std::string measurement;                // key of the plan
  std::string x, y;                       // columns of the records
  std::string x_label, y_label;
  std::vector<std::string> series;        // columns that tell the lines apart
  bool log_x = false, log_y = false, bars = false;
};

std::vector<MeasurementPlan> plan_measurements(const PaperSettings& settings);
const std::vector<Figure>& figures();
Plot plot_of(const Figure& figure, const Records& records);

}  // namespace weft::bench::paper
