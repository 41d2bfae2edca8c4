#include "analyze_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bough/analysis/figures.h"
#include "bough/analysis/speech_by_depth.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/tree/draw.h"
#include "bough/tree/trace_file.h"
#include "commands.h"
#include "eval_report.h"
#include "run_names.h"

namespace bough::cli {

namespace {

constexpr size_t kMaxOrder = 5;  // of BLEU

nlohmann::ordered_json json_of(const std::vector<WordDepth>& words, size_t most) {
  auto json = nlohmann::ordered_json::array();
  for (size_t i = 0; i < std::min(most, words.size()); ++i) {
    json.push_back(
        {{"word", words[i].word}, {"count", words[i].count}, {"mean_depth", words[i].mean_depth}});
  }
  return json;
}

nlohmann::ordered_json json_of(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const TagsByDepth& tags) {
  auto rows = nlohmann::ordered_json::array();
  for (int depth = 0; depth < tags.depths(); ++depth) {
    if (tags.count(depth) == 0) continue;
    nlohmann::ordered_json row = {{"depth", depth}, {"words", tags.count(depth)}};
    for (size_t tag : tags.frequent(tags.names().size())) {
      if (tags.count_of_tag(tag) > 0) row[tags.names()[tag]] = tags.deviation(depth, tag);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::ordered_json json_of(const ReportModel& model, size_t most_words, int64_t min_count) {
  auto entropy = nlohmann::ordered_json::array();
  for (const DepthMean& at : model.entropy) {
    entropy.push_back({{"mean", at.mean}, {"count", at.count}});
  }
  const TreeStatistics& trees = model.trees;
  nlohmann::ordered_json json = {
      {"name", model.name},
      {"trees", trees.trees},
      {"words", trees.words},
      {"samples", samples_json(model.samples, std::nullopt)},
      {"words_at_depth", trees.words_at_depth},
      {"trees_of_height", trees.trees_of_height},
      {"mean_span", json_of(trees.mean_span)},
      {"depth_score", trees.depth_score},
      {"left_share", json_of(trees.left_share)},
      {"order_correlation", json_of(trees.order_correlation)},
      {"entropy_by_depth", entropy},
      {"roots", json_of(trees.roots, most_words)},
      {"words_by_depth", json_of(frequent_by_depth(trees, min_count), most_words)}};
  if (model.tags) json["tags_by_depth"] = json_of(*model.tags);
  return json;
}

/// What a table has of it.
RunNumbers numbers_of(const ReportModel& model, const std::string& recipe) {
  const TreeStatistics& trees = model.trees;
  nlohmann::ordered_json numbers = samples_json(model.samples, trees.mean_span);
  numbers["depth_score"] = trees.depth_score;
  numbers["left_share"] = json_of(trees.left_share);
  numbers["order_correlation"] = json_of(trees.order_correlation);
  return {.name = model.name, .recipe = recipe, .numbers = std::move(numbers)};
}

}  // namespace

void AnalyzeCommand::run(OptionSet& set, std::span<const std::string> arguments) {
  no_arguments(arguments, name());
  if (models_.empty() == traces_.empty()) {
    throw UsageError("give --model DIR or --traces FILE: one of the two, as often as you like");
  }
  if (!tags_.empty() && traces_.size() != 1) {
    throw UsageError("--tags are those of one --traces FILE");
  }
  std::optional<Tagger> tagger;
  if (tagger_ != "none" && tags_.empty()) {
    tagger = Tagger::load(tagger_.empty() ? default_tagger_path() : fs::path(tagger_));
  }
  // What is given is read before anything is drawn: a wrong name shows at once.
  Report report{.title = title_, .models = {}, .reference = {}};
  if (!reference_.empty()) {
    report.reference =
        ReferenceTags{.name = fs::path(reference_).stem().string(),
                      .tags = speech_by_dependency_depth(read_conllu(reference_), reference_)};
  }
  for (const std::string& path : {train_, valid_}) {
    if (!path.empty()) LineReader opens(path);
  }
  // So is where it goes.
  OutputFile output(output_);
  std::optional<OutputFile> page;
  if (!report_.empty()) page.emplace(report_);
  std::vector<Traced> all = models_.empty() ? read_all() : draw_all(set);
  std::vector<std::string> recipes;
  for (Traced& traced : all) {
    recipes.push_back(traced.recipe);
    report.models.push_back(analyze(std::move(traced), tagger));
  }
  output.write(text_of(report, recipes));
  output.commit();
  if (page) {
    page->write(write_report(report));
    page->commit();
  }
  if (!trees_.empty()) draw_trees(report);
  if (!charts_.empty()) draw_charts(report);
}

std::string AnalyzeCommand::text_of(const Report& report,
                                    const std::vector<std::string>& recipes) const {
  std::vector<RunNumbers> runs;
  for (size_t i = 0; i < recipes.size(); ++i) {
    runs.push_back(numbers_of(report.models[i], recipes[i]));
  }
  Table table = table_of(runs);
  if (format_ != TableFormat::kJson) return render(table, format_);
  auto json = nlohmann::ordered_json::array();
  for (const ReportModel& model : report.models) {
    json.push_back(json_of(model, static_cast<size_t>(words_), min_count_));
  }
  for (auto& spread : spreads_json(table)) json.push_back(std::move(spread));
  return json.dump(2) + "\n";
}

std::vector<Traced> AnalyzeCommand::read_all() const {
  std::vector<std::string> names = tell_apart(traces_, name_of_file);
  std::vector<Traced> all;
  for (size_t i = 0; i < traces_.size(); ++i) {
    Traced& traced = all.emplace_back(Traced{.name = names[i],
                                             .recipe = "",
                                             .facts = {{"traces", traces_[i]}},
                                             .traces = {},
                                             .curves = {},
                                             .tokenizer = Tokenizer({.pretokenized = true})});
    read_traces(traces_[i], [&](Trace&& trace) { traced.traces.push_back(std::move(trace)); });
  }
  return all;
}

ReportModel AnalyzeCommand::analyze(Traced&& traced, const std::optional<Tagger>& tagger) const {
  std::optional<TagsByDepth> tags;
  if (!tags_.empty()) tags = speech_by_depth(traced.traces, read_conllu(tags_), tags_);
  bool whole_words = traced.tokenizer.codes() == nullptr;  // a piece has no part of speech
  if (tagger && whole_words) tags = speech_by_depth(traced.traces, *tagger);
  ReportModel model{.name = std::move(traced.name),
                    .facts = std::move(traced.facts),
                    .samples = measure(traced),
                    .trees = measure_trees(traced.traces),
                    .entropy = entropy_by_depth(traced.traces),
                    .tags = std::move(tags),
                    .curves = std::move(traced.curves),
                    .shown = std::move(traced.traces)};
  if (model.trees.trees == 0) throw DataError("{}: no sentences to look at", model.name);
  model.shown.resize(std::min(model.shown.size(), static_cast<size_t>(shown_)));
  return model;
}

SampleStatistics AnalyzeCommand::measure(const Traced& traced) const {
  SplitSentences written;
  for (const Trace& trace : traced.traces) written.push_back(trace.sentence());
  return measure_samples(written, read_sentences(train_, traced.tokenizer, corpus_),
                         read_sentences(valid_, traced.tokenizer, corpus_), kMaxOrder,
                         thread_count(writing_.compute.threads));
}

void AnalyzeCommand::draw_trees(const Report& report) const {
  make_folder(trees_);
  for (const ReportModel& model : report.models) {
    for (size_t i = 0; i < model.shown.size(); ++i) {
      const Trace& trace = model.shown[i];
      std::string extension =
          tree_format_ == TreeFormat::kText ? "txt" : std::string(name_of(tree_format_));
      fs::path path =
          fs::path(trees_) / fmt::format("{}-{:03}.{}", file_name_of(model.name), i + 1, extension);
      write_file(path, drawn(trace));
    }
  }
}

void AnalyzeCommand::draw_charts(const Report& report) const {
  make_folder(charts_);
  for (const auto& figures :
       {tree_figures(report), speech_figures(report), training_figures(report)}) {
    for (const Figure& figure : figures) {
      write_file(fs::path(charts_) / (figure.name + ".svg"), figure.svg);
    }
  }
}

std::string AnalyzeCommand::drawn(const Trace& trace) const {
  switch (tree_format_) {
    case TreeFormat::kSvg:
      return draw_svg(trace, colour_);
    case TreeFormat::kDot:
      return draw_dot(trace);
    case TreeFormat::kText:
      return draw_tree(trace.tree, trace.texts);
  }
  return "";
}

}  // namespace bough::cli
