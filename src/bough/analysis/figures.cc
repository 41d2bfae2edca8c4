#include "bough/analysis/figures.h"

#include <algorithm>

namespace bough {

namespace {

Figure words_by_depth(const Report& report) {
  BarChart chart{.title = "Words by depth",
                 .x_label = "edges below the root",
                 .y_label = "share of the words",
                 .categories = {},
                 .series = {}};
  size_t depths = 0;
  for (const ReportModel& model : report.models) {
    depths = std::max(depths, std::min<size_t>(13, model.trees.words_at_depth.size()));
  }
  for (size_t depth = 0; depth < depths; ++depth) {
    chart.categories.push_back(depth == 12 ? "12+" : std::to_string(depth));
  }
  for (const ReportModel& model : report.models) {
    Series& series = chart.series.emplace_back(Series{model.name, {}});
    std::vector<double> shares(depths);
    for (size_t depth = 0; depth < model.trees.words_at_depth.size(); ++depth) {
      shares[std::min(depth, depths - 1)] +=
          static_cast<double>(model.trees.words_at_depth[depth]) /
          static_cast<double>(std::max<int64_t>(1, model.trees.words));
    }
    for (size_t depth = 0; depth < depths; ++depth) {
      series.points.emplace_back(static_cast<double>(depth), shares[depth]);
    }
  }
  return {"words-by-depth", draw_chart(chart)};
}

/// Nothing where no trace has scores.
std::optional<Figure> entropy_figure(const Report& report) {
  LineChart chart{.title = "Entropy by depth",
                  .x_label = "edges below the root",
                  .y_label = "share of the most possible",
                  .series = {}};
  for (const ReportModel& model : report.models) {
    Series& series = chart.series.emplace_back(Series{model.name, {}});
    for (size_t depth = 0; depth < model.entropy.size(); ++depth) {
      if (model.entropy[depth].count < 20 && depth > 0) continue;  // a few slots say nothing
      series.points.emplace_back(static_cast<double>(depth), model.entropy[depth].mean);
    }
  }
  bool any = std::ranges::any_of(chart.series, [](const Series& s) { return !s.points.empty(); });
  if (!any) return std::nullopt;
  return Figure{"entropy-by-depth", draw_chart(chart)};
}

/// `shown` are the tags of its columns: the same in all maps, so that they can be compared.
Figure tag_map(const std::string& name, const TagsByDepth& tags, const std::vector<size_t>& shown) {
  constexpr int kDepths = 8;
  HeatMap map{.title = name, .row_label = "depth", .rows = {}, .columns = {}, .cells = {}};
  for (size_t tag : shown) map.columns.push_back(tags.names()[tag]);
  for (int depth = 0; depth < std::min(kDepths, tags.depths()); ++depth) {
    map.rows.push_back(std::to_string(depth));
    std::vector<double>& row = map.cells.emplace_back();
    for (size_t tag : shown) row.push_back(tags.deviation(depth, tag));
  }
  return {"speech-by-depth-" + file_name_of(name), draw_chart(map)};
}

}  // namespace

std::string file_name_of(std::string name) {
  std::ranges::replace(name, '/', '-');
  return name;
}

std::vector<Figure> tree_figures(const Report& report) {
  std::vector<Figure> figures = {words_by_depth(report)};
  if (std::optional<Figure> entropy = entropy_figure(report)) figures.push_back(*entropy);
  return figures;
}

std::vector<Figure> speech_figures(const Report& report) {
  std::vector<Figure> figures;
  std::vector<size_t> shown;
  auto add = [&](const std::string& name, const TagsByDepth& tags) {
    if (shown.empty()) shown = tags.frequent(8);
    figures.push_back(tag_map(name, tags, shown));
  };
  for (const ReportModel& model : report.models) {
    if (model.tags) add(model.name, *model.tags);
  }
  if (report.reference) add(report.reference->name, report.reference->tags);
  return figures;
}

std::vector<Figure> training_figures(const Report& report) {
  std::vector<std::string> names;
  for (const ReportModel& model : report.models) {
    for (const Series& curve : model.curves) {
      if (std::ranges::find(names, curve.name) == names.end()) names.push_back(curve.name);
    }
  }
  std::vector<Figure> figures;
  for (const std::string& name : names) {
    LineChart chart{
        .title = name, .x_label = "updates", .y_label = name, .series = {}, .from_zero = false};
    for (const ReportModel& model : report.models) {
      auto curve = std::ranges::find(model.curves, name, &Series::name);
      if (curve != model.curves.end()) chart.series.push_back({model.name, curve->points});
    }
    figures.push_back({"training-" + file_name_of(name), draw_chart(chart)});
  }
  return figures;
}

}  // namespace bough
