// Charts as SVG: lines over numbers, bars, and a table of colours. Enough for a report, and drawn
// the same way each time.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bough {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by rising x
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  bool from_zero = true;  // whether the y axis begins at zero
};
std::string draw_chart(const LineChart& chart);

/// Side by side for each category, one bar a series; the points' x is ignored.
struct BarChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> categories;
  std::vector<Series> series;
};
std::string draw_chart(const BarChart& chart);

/// Cells from −limit (dark) over 0 to limit (light), as in the paper's figure, with their numbers.
struct HeatMap {
  std::string title;
  std::string row_label;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> cells;  // by row; NaN: nothing is known
  double limit = 0.3;
};
std::string draw_chart(const HeatMap& map);

/// About `count` round numbers from at most `low` to at least `high`.
std::vector<double> round_ticks(double low, double high, int count);

}  // namespace bough
