#include "bough/analysis/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bough/analysis/report_page.h"
#include "bough/analysis/svg.h"
#include "bough/analysis/tree_picture.h"

namespace bough {

namespace {

/// Rows of a table, the first of them its head; all cells are text.
using Rows = std::vector<std::vector<std::string>>;

std::string table(const Rows& rows) {
  std::string html = "<div class=\"scroll\"><table>\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    html += "<tr>";
    for (size_t c = 0; c < rows[r].size(); ++c) {
      std::string_view cell = r == 0 || c == 0 ? "th" : "td";
      html += fmt::format("<{0}>{1}</{0}>", cell, escape_xml(rows[r][c]));
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string number(std::optional<double> value, int decimals = 2) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "–";
}

/// A row for each name, a column for each model.
class Comparison {
 public:
  explicit Comparison(const Report& report) : models_(report.models) {
    rows_.push_back({""});
    for (const ReportModel& model : models_) rows_[0].push_back(model.name);
  }
  template <typename Value>
  void add(const std::string& name, Value value) {
    std::vector<std::string>& row = rows_.emplace_back(1, name);
    for (const ReportModel& model : models_) row.push_back(value(model));
  }
  std::string html() const { return table(rows_); }

 private:
  const std::vector<ReportModel>& models_;
  Rows rows_;
};

std::string facts_table(const Report& report) {
  Comparison facts(report);
  std::vector<std::string> names;
  for (const ReportModel& model : report.models) {
    for (const auto& [name, value] : model.facts) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    facts.add(name, [&](const ReportModel& model) {
      auto found =
          std::ranges::find(model.facts, name, &std::pair<std::string, std::string>::first);
      return found == model.facts.end() ? std::string("–") : found->second;
    });
  }
  return facts.html();
}

std::string statistics_table(const Report& report) {
  Comparison rows(report);
  rows.add("sentences", [](const auto& model) { return std::to_string(model.trees.trees); });
  rows.add("words a sentence", [](const auto& model) {
    return number(static_cast<double>(model.trees.words) /
                  static_cast<double>(std::max<int64_t>(1, model.trees.trees)));
  });
  rows.add("mean span (children of words that have any)",
           [](const auto& model) { return number(model.trees.mean_span); });
  rows.add("depth score (longest path / words)",
           [](const auto& model) { return number(model.trees.depth_score); });
  rows.add("left children", [](const auto& model) { return number(model.trees.left_share); });
  rows.add("order against reading (Kendall's τ)",
           [](const auto& model) { return number(model.trees.order_correlation); });
  rows.add("first words", [](const auto& model) {
    std::string words;
    for (size_t i = 0; i < std::min<size_t>(8, model.trees.roots.size()); ++i) {
      const WordDepth& root = model.trees.roots[i];
      words += fmt::format(
          "{}{} {:.0f} %", i == 0 ? "" : ", ", root.word,
          100.0 * static_cast<double>(root.count) / static_cast<double>(model.trees.trees));
    }
    return words;
  });
  for (bool high : {true, false}) {
    rows.add(high ? "words that stand highest" : "words that stand deepest",
             [high](const auto& model) {
               std::vector<WordDepth> frequent;
               for (const WordDepth& word : model.trees.by_depth) {
                 if (word.count >= std::max<int64_t>(5, model.trees.words / 500)) {
                   frequent.push_back(word);
                 }
               }
               if (!high) std::ranges::reverse(frequent);
               std::string words;
               for (size_t i = 0; i < std::min<size_t>(8, frequent.size()); ++i) {
                 words += fmt::format("{}{} {:.1f}", i == 0 ? "" : ", ", frequent[i].word,
                                      frequent[i].mean_depth);
               }
               return words;
             });
  }
  return rows.html();
}

std::string figure(const std::string& svg) {
  return "<figure class=\"scroll\">" + svg + "</figure>\n";
}

std::string depth_chart(const Report& report) {
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
  return figure(draw_chart(chart));
}

std::string entropy_chart(const Report& report) {
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
  return any ? figure(draw_chart(chart)) : "<p>The traces have no scores.</p>\n";
}

/// `shown` are the tags of its columns: the same in all maps, so that they can be compared.
std::string tag_map(const std::string& name, const TagsByDepth& tags,
                    const std::vector<size_t>& shown) {
  constexpr int kDepths = 8;
  HeatMap map{.title = name, .row_label = "depth", .rows = {}, .columns = {}, .cells = {}};
  for (size_t tag : shown) map.columns.push_back(tags.names()[tag]);
  for (int depth = 0; depth < std::min(kDepths, tags.depths()); ++depth) {
    map.rows.push_back(std::to_string(depth));
    std::vector<double>& row = map.cells.emplace_back();
    for (size_t tag : shown) row.push_back(tags.deviation(depth, tag));
  }
  return figure(draw_chart(map));
}

std::string curve_charts(const Report& report) {
  std::vector<std::string> names;
  for (const ReportModel& model : report.models) {
    for (const Series& curve : model.curves) {
      if (std::ranges::find(names, curve.name) == names.end()) names.push_back(curve.name);
    }
  }
  std::string html;
  for (const std::string& name : names) {
    LineChart chart{
        .title = name, .x_label = "updates", .y_label = name, .series = {}, .from_zero = false};
    for (const ReportModel& model : report.models) {
      auto curve = std::ranges::find(model.curves, name, &Series::name);
      if (curve != model.curves.end()) chart.series.push_back({model.name, curve->points});
    }
    html += figure(draw_chart(chart));
  }
  return html;
}

/// What the page shows when a word is pointed at, by node.
nlohmann::json details_of(const Trace& trace) {
  auto nodes = nlohmann::json::array();
  for (int id = 0; id < trace.tree.word_count(); ++id) {
    auto step = static_cast<size_t>(trace.tree.node(id).step);
    nlohmann::json node = {{"word", trace.texts[static_cast<size_t>(id)]}};
    if (step < trace.scores.size()) {
      const StepScore& score = trace.scores[step];
      node["p"] = std::exp(score.logprob);
      node["entropy"] = score.entropy;
      for (const Alternative& other : score.alternatives) {
        node["others"].push_back({other.text, std::exp(other.logprob)});
      }
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// JSON inside a page: nothing in it may end the element that it stands in.
std::string for_script(const nlohmann::json& json) {
  std::string safe;
  for (char c : json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    safe += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return safe;
}

std::string tree_player(const Trace& trace) {
  std::string words;
  std::vector<int> order = trace.tree.in_order();
  for (int id : order) {
    words += fmt::format("<span data-step=\"{}\" dir=\"auto\">{}</span> ", trace.tree.node(id).step,
                         escape_xml(trace.texts[static_cast<size_t>(id)]));
  }
  return fmt::format(
      "<section class=\"tree\" data-steps=\"{}\">\n<p class=\"sentence\">{}</p>\n"
      "<div class=\"controls\"><button data-do=\"play\">Play</button>"
      "<button data-do=\"back\" aria-label=\"one step back\">◀</button>"
      "<button data-do=\"forward\" aria-label=\"one step on\">▶</button>"
      "<input type=\"range\" min=\"0\" max=\"{}\" value=\"{}\" aria-label=\"steps\">"
      "<output></output></div>\n"
      "<figure class=\"scroll\">{}</figure>\n<div class=\"details\" aria-live=\"polite\"></div>\n"
      "<script type=\"application/json\">{}</script>\n</section>\n",
      trace.tree.steps(), words, trace.tree.steps(), trace.tree.steps(), draw_svg(trace),
      for_script(details_of(trace)));
}

}  // namespace

std::string write_report(const Report& report) {
  std::string body = fmt::format("<h1>{}</h1>\n", escape_xml(report.title));
  body += facts_table(report) + "<h2>Trees</h2>\n" + statistics_table(report);
  body += "<div class=\"charts\">\n" + depth_chart(report) + entropy_chart(report) + "</div>\n";
  bool tagged = report.reference.has_value();
  for (const ReportModel& model : report.models) tagged = tagged || model.tags.has_value();
  if (tagged) {
    body +=
        "<h2>Parts of speech by depth</h2>\n<p>The share of a tag among the words of a depth, less "
        "its share among all words.</p>\n<div class=\"charts\">\n";
    std::vector<size_t> shown;
    auto add = [&](const std::string& name, const TagsByDepth& tags) {
      if (shown.empty()) shown = tags.frequent(8);
      body += tag_map(name, tags, shown);
    };
    for (const ReportModel& model : report.models) {
      if (model.tags) add(model.name, *model.tags);
    }
    if (report.reference) add(report.reference->name, report.reference->tags);
    body += "</div>\n";
  }
  for (const ReportModel& model : report.models) {
    if (model.shown.empty()) continue;
    body += fmt::format("<h2>Sentences of {}</h2>\n", escape_xml(model.name));
    for (const Trace& trace : model.shown) body += tree_player(trace);
  }
  std::string curves = curve_charts(report);
  if (!curves.empty()) body += "<h2>Training</h2>\n<div class=\"charts\">\n" + curves + "</div>\n";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{}</main>\n"
      "<script>\n{}</script>\n</body>\n</html>\n",
      escape_xml(report.title), page_style(), body, page_script());
}

}  // namespace bough
