#include "bough/analysis/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "bough/analysis/figures.h"
#include "bough/analysis/html_page.h"
#include "bough/analysis/svg.h"
#include "bough/analysis/tree_player.h"

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

std::string samples_table(const Report& report) {
  Comparison rows(report);
  rows.add("sentences", [](const auto& model) { return std::to_string(model.samples.samples); });
  rows.add("words a sentence", [](const auto& model) { return number(model.samples.mean_tokens); });
  rows.add("unique, %", [](const auto& model) { return number(model.samples.unique_percent, 1); });
  if (std::ranges::any_of(report.models,
                          [](const auto& m) { return m.samples.novel_percent.has_value(); })) {
    rows.add("novel, %", [](const auto& model) { return number(model.samples.novel_percent, 1); });
  }
  auto by_order = [&](const char* name, std::vector<double> SampleStatistics::*scores) {
    size_t orders = 0;
    for (const ReportModel& model : report.models) {
      orders = std::max(orders, (model.samples.*scores).size());
    }
    for (size_t i = 0; i < orders; ++i) {
      rows.add(fmt::format("{}-{}", name, i + 2), [&](const auto& model) {
        const std::vector<double>& of_model = model.samples.*scores;
        return i < of_model.size() ? number(of_model[i], 3) : number({});
      });
    }
  };
  by_order("BLEU", &SampleStatistics::bleu);
  by_order("self-BLEU", &SampleStatistics::self_bleu);
  return rows.html();
}

std::string trees_table(const Report& report) {
  Comparison rows(report);
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
               std::vector<WordDepth> frequent =
                   frequent_by_depth(model.trees, std::max<int64_t>(5, model.trees.words / 500));
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

std::string charts(const std::vector<Figure>& figures) {
  std::string html = "<div class=\"charts\">\n";
  for (const Figure& figure : figures) {
    html += "<figure class=\"scroll\">" + figure.svg + "</figure>\n";
  }
  return html + "</div>\n";
}

std::string legend() {
  return "<p class=\"legend\"><span class=\"order\">1</span> when a word was written, "
         "<span class=\"place\">1</span> where it stands; the stronger its colour, the likelier "
         "it was. Point at a word, or touch it, for what else could have stood there.</p>\n";
}

}  // namespace

std::string write_report(const Report& report) {
  std::string body = facts_table(report) + "<h2>Sentences</h2>\n" + samples_table(report);
  body += "<h2>Trees</h2>\n" + trees_table(report);
  body += charts(tree_figures(report));
  bool scored =
      std::ranges::any_of(report.models, [](const auto& m) { return !m.entropy.empty(); });
  if (!scored) body += "<p>The traces have no scores.</p>\n";
  if (std::vector<Figure> speech = speech_figures(report); !speech.empty()) {
    body +=
        "<h2>Parts of speech by depth</h2>\n<p>The share of a tag among the words of a depth, less "
        "its share among all words.</p>\n" +
        charts(speech);
  }
  for (const ReportModel& model : report.models) {
    if (model.shown.empty()) continue;
    body += fmt::format("<h2>Sentences of {}</h2>\n", escape_xml(model.name));
    if (&model == &report.models.front()) body += legend();
    for (const Trace& trace : model.shown) {
      body += tree_player(trace, &trace == &model.shown.front());
    }
  }
  if (std::vector<Figure> training = training_figures(report); !training.empty()) {
    body += "<h2>Training</h2>\n" + charts(training);
  }
  return html_page(report.title, body);
}

}  // namespace bough
