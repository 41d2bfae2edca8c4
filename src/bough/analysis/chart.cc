#include "bough/analysis/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bough/analysis/svg.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr double kWidth = 560;
constexpr double kHeight = 320;
constexpr double kLeft = 62;
constexpr double kRight = 14;
constexpr double kTop = 34;
constexpr double kBottom = 46;

constexpr std::string_view kInk = "fill=\"var(--ink, #15181c)\"";
constexpr std::string_view kFaint = "fill=\"var(--faint, #5b6570)\"";
constexpr std::string_view kGrid = "stroke=\"var(--grid, #dfe3e8)\" stroke-width=\"1\"";

/// Told apart by people who don't see all colours, on light and on dark.
constexpr std::array<std::string_view, 6> kColours = {"#2a78d6", "#eb6834", "#1baf7a",
                                                      "#eda100", "#8e5bd0", "#d1477b"};

std::string colour_of(size_t series) {
  size_t index = series % kColours.size();
  return fmt::format("var(--series-{}, {})", index + 1, kColours[index]);
}

std::string tick_text(double value) {
  return std::abs(value) < 1e-12 ? "0" : fmt::format("{:.4g}", value);
}

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Never empty: around a lone value there is as much room as it is away from zero.
  void settle() {
    if (low > high) low = 0.0, high = 1.0;
    double room = std::max(std::abs(low), std::abs(high));
    if (high - low > 1e-9 * room) return;
    if (room == 0.0) room = 0.5;
    low -= room;
    high += room;
  }
  double share(double value) const { return (value - low) / (high - low); }
};

/// The frame that lines and bars stand in.
class Frame {
 public:
  Frame(Svg& svg, Extent y) : svg_(svg), y_(y) {
    y_.settle();
    std::vector<double> ticks = round_ticks(y_.low, y_.high, 5);
    y_.low = std::min(y_.low, ticks.front());
    y_.high = std::max(y_.high, ticks.back());
    for (double tick : ticks) {
      svg_.line({kLeft, at_y(tick)}, {kWidth - kRight, at_y(tick)}, kGrid);
      svg_.text({kLeft - 7, at_y(tick) + 4}, tick_text(tick),
                fmt::format("font-size=\"11\" {}", kFaint), Svg::Anchor::kEnd);
    }
  }

  double at_y(double value) const {
    return kHeight - kBottom - y_.share(value) * (kHeight - kTop - kBottom);
  }
  double width() const { return kWidth - kLeft - kRight; }

  void label(const std::string& title, const std::string& x, const std::string& y) {
    svg_.text({kLeft, 16}, title, fmt::format("font-size=\"13\" font-weight=\"600\" {}", kInk),
              Svg::Anchor::kStart);
    svg_.text({kLeft + width() / 2.0, kHeight - 8}, x, fmt::format("font-size=\"11\" {}", kFaint));
    svg_.text({0, 0}, y,
              fmt::format("font-size=\"11\" transform=\"translate(14 {}) rotate(-90)\" {}",
                          svg_number((kHeight + kTop - kBottom) / 2.0), kFaint));
  }

 private:
  Svg& svg_;
  Extent y_;
};

/// Which colour is which: to the right of the title's line.
void draw_legend(Svg& svg, const std::vector<Series>& series) {
  if (series.size() < 2) return;
  double right = kWidth - kRight;
  for (size_t i = series.size(); i-- > 0;) {
    right -= 6.3 * display_width(series[i].name);
    svg.text({right, 16}, series[i].name, fmt::format("font-size=\"11\" {}", kFaint),
             Svg::Anchor::kStart);
    right -= 13;
    svg.rectangle({right, 8}, 9, 9, 2, fmt::format("fill=\"{}\"", colour_of(i)));
    right -= 9;
  }
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  double rough = (high - low) / std::max(1, count);
  double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough * 0.999) break;
  }
  std::vector<double> ticks;
  double first = std::floor(low / step + 1e-9);
  for (double i = first;; ++i) {
    ticks.push_back(i * step);
    if (i * step >= high - 1e-9 * step) return ticks;
  }
}

std::string draw_chart(const LineChart& chart) {
  Extent x;
  Extent y;
  for (const Series& series : chart.series) {
    for (auto [at, value] : series.points) {
      x.include(at);
      y.include(value);
    }
  }
  if (chart.from_zero) y.include(0.0);
  x.settle();
  Svg svg(kWidth, kHeight);
  Frame frame(svg, y);
  auto at_x = [&](double value) { return kLeft + x.share(value) * frame.width(); };
  for (double tick : round_ticks(x.low, x.high, 7)) {
    if (tick < x.low || tick > x.high) continue;
    svg.text({at_x(tick), kHeight - kBottom + 16}, tick_text(tick),
             fmt::format("font-size=\"11\" {}", kFaint));
  }
  for (size_t i = 0; i < chart.series.size(); ++i) {
    std::vector<Svg::Point> points;
    for (auto [at, value] : chart.series[i].points) {
      if (std::isfinite(value)) points.push_back({at_x(at), frame.at_y(value)});
    }
    std::string colour = colour_of(i);
    svg.open("class=\"series\"", chart.series[i].name);
    svg.polyline(points, fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
                                     "stroke-linejoin=\"round\"",
                                     colour));
    if (points.size() <= 40) {
      for (const Svg::Point& point : points) {
        svg.circle(point, 3, fmt::format("fill=\"{}\"", colour));
      }
    }
    svg.close();
  }
  frame.label(chart.title, chart.x_label, chart.y_label);
  draw_legend(svg, chart.series);
  return svg.finish(chart.title);
}

std::string draw_chart(const BarChart& chart) {
  Extent y;
  y.include(0.0);
  for (const Series& series : chart.series) {
    for (auto [at, value] : series.points) y.include(value);
  }
  Svg svg(kWidth, kHeight);
  Frame frame(svg, y);
  double slot = frame.width() / static_cast<double>(std::max<size_t>(1, chart.categories.size()));
  double bar = 0.8 * slot / static_cast<double>(std::max<size_t>(1, chart.series.size()));
  for (size_t c = 0; c < chart.categories.size(); ++c) {
    double begin = kLeft + slot * static_cast<double>(c);
    svg.text({begin + slot / 2.0, kHeight - kBottom + 16}, chart.categories[c],
             fmt::format("font-size=\"11\" {}", kFaint));
    for (size_t i = 0; i < chart.series.size(); ++i) {
      const Series& series = chart.series[i];
      if (c >= series.points.size()) continue;
      double value = series.points[c].second;
      double top = frame.at_y(std::max(0.0, value));
      double height = std::abs(frame.at_y(value) - frame.at_y(0.0));
      svg.open("class=\"bar\"",
               fmt::format("{}, {}: {}", series.name, chart.categories[c], tick_text(value)));
      svg.rectangle({begin + 0.1 * slot + bar * static_cast<double>(i), top}, bar, height, 1,
                    fmt::format("fill=\"{}\"", colour_of(i)));
      svg.close();
    }
  }
  frame.label(chart.title, chart.x_label, chart.y_label);
  draw_legend(svg, chart.series);
  return svg.finish(chart.title);
}

std::string draw_chart(const HeatMap& map) {
  constexpr double kCellWidth = 58;
  constexpr double kCellHeight = 24;
  double left = 20.0 + 6.6 * display_width(map.row_label);
  for (const std::string& row : map.rows) {
    left = std::max(left, 30.0 + 6.6 * display_width(row));
  }
  double top = 52;
  Svg svg(left + kCellWidth * static_cast<double>(map.columns.size()) + 12,
          top + kCellHeight * static_cast<double>(map.rows.size()) + 12);
  svg.text({12, 16}, map.title, fmt::format("font-size=\"13\" font-weight=\"600\" {}", kInk),
           Svg::Anchor::kStart);
  svg.text({left - 8, top - 8}, map.row_label, fmt::format("font-size=\"11\" {}", kFaint),
           Svg::Anchor::kEnd);
  for (size_t c = 0; c < map.columns.size(); ++c) {
    svg.text({left + kCellWidth * (static_cast<double>(c) + 0.5), top - 8}, map.columns[c],
             fmt::format("font-size=\"11\" {}", kFaint));
  }
  for (size_t r = 0; r < map.rows.size(); ++r) {
    double y = top + kCellHeight * static_cast<double>(r);
    svg.text({left - 8, y + 16}, map.rows[r], fmt::format("font-size=\"11\" {}", kFaint),
             Svg::Anchor::kEnd);
    for (size_t c = 0; c < map.columns.size(); ++c) {
      double value = map.cells[r][c];
      if (!std::isfinite(value)) continue;
      double strong = std::clamp(value / map.limit, -1.0, 1.0);
      std::string_view fill = strong < 0 ? "var(--less, #2a5fb0)" : "var(--more, #e07b28)";
      double x = left + kCellWidth * static_cast<double>(c);
      svg.open("class=\"cell\"",
               fmt::format("{}, {}: {:+.3f}", map.rows[r], map.columns[c], value));
      svg.rectangle({x + 1, y + 1}, kCellWidth - 2, kCellHeight - 2, 2,
                    fmt::format("fill=\"{}\" fill-opacity=\"{}\"", fill,
                                svg_number(0.08 + 0.8 * std::abs(strong))));
      svg.text({x + kCellWidth / 2.0, y + 16}, fmt::format("{:+.2f}", value),
               fmt::format("font-size=\"10.5\" {}", kInk));
      svg.close();
    }
  }
  return svg.finish(map.title);
}

}  // namespace bough
