// Drawing; see plot.hpp.
#include "bench/paper/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::bench::paper {
namespace {

constexpr double width = 720, height = 340, left = 64, right = 180, top = 14, bottom = 46;
constexpr double plot_width = width - left - right, plot_height = height - top - bottom;

// Told apart by people who see colours differently.
constexpr std::array<const char*, 8> colours = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d1f", "#555555"};

const char* colour_of(std::size_t number) { return colours[number % colours.size()]; }
const char* dash_of(std::size_t number) { return number / colours.size() % 2 == 1 ? " stroke-dasharray='5 3'" : ""; }

class Axis {
 public:
  Axis(double low, double high, bool logarithmic, double from, double to)
      : logarithmic_(logarithmic), low_(scaled(low)), high_(scaled(high)), from_(from), to_(to) {}
  double place(double value) const { return high_ == low_ ? (from_ + to_) / 2 : from_ + (scaled(value) - low_) / (high_ - low_) * (to_ - from_); }

 private:
  double scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }
  bool logarithmic_;
  double low_, high_, from_, to_;
};

std::vector<double> values_of(const Plot& plot, double std::pair<double, double>::*part) {
  std::vector<double> values;
  for (const Series& series : plot.series)
    for (const auto& point : series.points) values.push_back(point.*part);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Axis vertical_axis(const Plot& plot, const std::vector<double>& values, std::string& svg) {
  const std::vector<double> ticks = plot.log_y ? log_ticks(values.front(), values.back()) : linear_ticks(0, values.back());
  const Axis axis(ticks.front(), ticks.back(), plot.log_y, top + plot_height, top);
  for (const double tick : ticks) {
    const double y = axis.place(tick);
    svg += fmt::format("<line class='grid' x1='{}' x2='{}' y1='{:.1f}' y2='{:.1f}'/><text x='{}' y='{:.1f}' text-anchor='end'>{}</text>\n", left,
                       left + plot_width, y, y, left - 6, y + 4, short_number(tick));
  }
  svg += fmt::format("<text x='14' y='{0}' transform='rotate(-90 14 {0})' text-anchor='middle'>{1}</text>\n", top + plot_height / 2, escaped(plot.y_label));
  return axis;
}

void horizontal_text(double x, const std::string& text, std::string& svg) {
  svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n", x, top + plot_height + 16, escaped(text));
}

// A tick at each measured value, as far as their texts don't meet.
void horizontal_ticks(const Axis& axis, const std::vector<double>& values, std::string& svg) {
  double free_from = 0;
  for (const double value : values) {
    const std::string text = short_number(value);
    const double x = axis.place(value), half = 3.5 * static_cast<double>(text.size()) + 3;
    svg += fmt::format("<line class='axis' x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}'/>\n", x, top + plot_height, top + plot_height + 4);
    if (x - half < free_from) continue;
    horizontal_text(x, text, svg);
    free_from = x + half;
  }
}

void legend(const Plot& plot, std::string& svg) {
  double y = top + 10;
  for (std::size_t i = 0; i < plot.series.size(); ++i, y += 18)
    svg += fmt::format("<line x1='{}' x2='{}' y1='{}' y2='{}' stroke='{}' stroke-width='3'{}/><text x='{}' y='{}'>{}</text>\n", left + plot_width + 14,
                       left + plot_width + 34, y, y, colour_of(i), dash_of(i), left + plot_width + 40, y + 4, escaped(plot.series[i].name));
}

std::string tip(const Plot& plot, const Series& series, const std::string& x, double y) {
  return escaped(fmt::format("{}: {} {} at {} {}", series.name, short_number(y), plot.y_label, x, plot.x_label));
}

void lines(const Plot& plot, const Axis& across, const Axis& up, std::string& svg) {
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    std::string path, marks;
    for (const auto& [x, y] : series.points) {
      path += fmt::format("{:.1f},{:.1f} ", across.place(x), up.place(y));
      marks += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3.5' fill='{}'><title>{}</title></circle>\n", across.place(x), up.place(y), colour_of(i),
                           tip(plot, series, short_number(x), y));
    }
    svg += fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2'{}/>\n{}", path, colour_of(i), dash_of(i), marks);
  }
}

void bars(const Plot& plot, const Axis& up, std::string& svg) {
  const double group = plot_width / static_cast<double>(plot.x_names.size());
  const double bar = group * 0.8 / static_cast<double>(std::max<std::size_t>(plot.series.size(), 1));
  for (std::size_t name = 0; name < plot.x_names.size(); ++name) horizontal_text(left + group * (static_cast<double>(name) + 0.5), plot.x_names[name], svg);
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    for (const auto& [x, y] : plot.series[i].points) {
      const double place = left + group * (x + 0.1) + bar * static_cast<double>(i);
      svg += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'><title>{}</title></rect>\n", place, up.place(y), bar,
                         top + plot_height - up.place(y), colour_of(i), tip(plot, plot.series[i], plot.x_names[static_cast<std::size_t>(x)], y));
    }
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) switch (letter) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '\'': safe += "&#39;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += letter;
    }
  return safe;
}

std::string short_number(double value) {
  constexpr double thousand = 1e3, million = 1e6, billion = 1e9;
  if (std::abs(value) >= billion) return fmt::format("{:.3g}G", value / billion);
  if (std::abs(value) >= million) return fmt::format("{:.3g}M", value / million);
  if (std::abs(value) >= 10 * thousand) return fmt::format("{:.3g}k", value / thousand);
  return fmt::format("{:.4g}", value);
}

std::vector<double> linear_ticks(double low, double high) {
  constexpr double steps_wanted = 5;
  const double span = high > low ? high - low : 1, rough = span / steps_wanted, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough * 0.999) step = factor * power;
  std::vector<double> ticks;
  for (double tick = std::floor(low / step) * step; ticks.empty() || ticks.back() < high; tick += step) ticks.push_back(tick);
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  const bool fine = high / low < 50;
  for (double power = std::pow(10, std::floor(std::log10(low))); ticks.empty() || ticks.back() < high; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      if ((!fine && factor > 1) || (!ticks.empty() && ticks.back() >= high)) continue;
      if (!ticks.empty() && ticks.back() <= low && factor * power <= low) ticks.clear();
      ticks.push_back(factor * power);
    }
  return ticks;
}

std::string draw(const Plot& plot) {
  Plot shown = plot;
  for (Series& series : shown.series)
    std::erase_if(series.points, [&](const auto& point) { return (plot.log_y && !(point.second > 0)) || (plot.log_x && !(point.first > 0)); });
  std::string svg = fmt::format("<svg viewBox='0 0 {} {}' role='img'>\n", width, height);
  const std::vector<double> x_values = values_of(shown, &std::pair<double, double>::first), y_values = values_of(shown, &std::pair<double, double>::second);
  if (!x_values.empty() && y_values.back() > 0) {
    const Axis up = vertical_axis(shown, y_values, svg);
    if (shown.x_names.empty()) {
      const Axis across(x_values.front(), x_values.back(), shown.log_x, left + 12, left + plot_width - 12);
      horizontal_ticks(across, x_values, svg);
      lines(shown, across, up, svg);
    } else {
      bars(shown, up, svg);
    }
    legend(shown, svg);
  }
  svg += fmt::format("<line class='axis' x1='{0}' x2='{1}' y1='{2}' y2='{2}'/>\n", left, left + plot_width, top + plot_height);
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>\n</svg>\n", left + plot_width / 2, height - 8, escaped(plot.x_label));
  return svg;
}

}  // namespace weft::bench::paper
