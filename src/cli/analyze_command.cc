// bough analyze: in which order models write, from their traces or from sentences drawn for it.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <map>
#include <set>

#include "bough/analysis/figures.h"
#include "bough/analysis/report.h"
#include "bough/analysis/speech_by_depth.h"
#include "bough/analysis/training_curves.h"
#include "bough/analysis/tree_picture.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/parallel.h"
#include "bough/data/corpus.h"
#include "bough/tree/draw.h"
#include "bough/tree/trace_file.h"
#include "commands.h"
#include "eval_report.h"
#include "writing.h"

namespace bough::cli {

enum class TreeFormat { kSvg, kDot, kText };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::TreeFormat> {
  using Format = bough::cli::TreeFormat;
  static constexpr std::array<std::pair<Format, std::string_view>, 3> kNames{
      {{Format::kSvg, "svg"}, {Format::kDot, "dot"}, {Format::kText, "text"}}};
};

namespace bough::cli {

namespace {

constexpr int64_t kAlternatives = 5;
constexpr size_t kMaxOrder = 5;  // of BLEU

/// Sentences with their trees, and whose they are.
struct Traced {
  std::string name;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Trace> traces;
  std::vector<Series> curves;
  Tokenizer tokenizer;  // how text is split into words like theirs
};

/// Only sentences that are shown need them; of many others they would fill the memory.
void forget_alternatives(Trace& trace) {
  for (StepScore& score : trace.scores) score.alternatives = {};
}

std::string name_of_folder(const std::string& path) {
  fs::path normal = fs::path(path).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

std::string name_of_traces(const std::string& path) {
  return fs::path(path).stem().string();
}

/// A short name for each; those that would share one are called by their whole paths.
std::vector<std::string> tell_apart(const std::vector<std::string>& paths,
                                    std::string (*short_name)(const std::string&)) {
  std::set<std::string> distinct;
  std::map<std::string, int> uses;
  for (const std::string& path : paths) {
    if (!distinct.insert(path).second) throw UsageError("'{}' is given twice", path);
    ++uses[short_name(path)];
  }
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::string name = short_name(path);
    names.push_back(uses[name] > 1 || name.empty() ? path : name);
  }
  return names;
}

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

nlohmann::ordered_json json_of(const ReportModel& model, size_t most_words) {
  auto entropy = nlohmann::ordered_json::array();
  for (const DepthMean& at : model.entropy) {
    entropy.push_back({{"mean", at.mean}, {"count", at.count}});
  }
  const TreeStatistics& trees = model.trees;
  nlohmann::ordered_json json = {{"name", model.name},
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
                                 {"words_by_depth", json_of(trees.by_depth, most_words)}};
  if (model.tags) json["tags_by_depth"] = json_of(*model.tags);
  return json;
}

class AnalyzeCommand : public Command {
 public:
  std::string_view name() const override { return "analyze"; }
  std::string_view summary() const override {
    return "Say, and show, in which order models write their sentences.";
  }
  std::string_view usage() const override {
    return "analyze --model DIR [--model DIR …] | --traces FILE [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Analysis");
    set.list("model", models_, "DIR", "a model to draw sentences from; may be given several times");
    set.list("traces", traces_, "FILE", "traces as --format jsonl writes them; several times, too");
    set.integer("count", count_, {1, 1'000'000'000}, "sentences to draw from each model")
        .short_name = 'n';
    set.text("input", input_, "FILE",
             "lines to order or to translate, for models that write from a source")
        .short_name = 'i';
    set.text("output", output_, "FILE", "where to write the JSON; -: standard output").short_name =
        'o';
    set.text("tagger", tagger_, "FILE",
             "tags words for parts of speech by depth; none: no tags; else the English one that "
             "bough comes with");
    set.text("tags", tags_, "FILE",
             "tags of the traces' sentences in CoNLL-U, instead of a tagger");
    set.text(
        "reference", reference_, "FILE",
        "a treebank in CoNLL-U: its words by their depth in dependency trees, to compare with");
    set.text(
        "train", train_, "FILE",
        "sentences that the models learned from: what isn't among them is novel (traces: words "
        "with spaces between them)");
    set.text("valid", valid_, "FILE", "real sentences, for BLEU of what is written");
    set.integer("words", words_, {0, 1'000'000'000}, "words in the lists of first and high words");
    set.text("report", report_, "FILE", "write a page that shows it all");
    set.text("title", title_, "TEXT", "the page's title");
    set.integer("shown", shown_, {0, 1000}, "sentences of each model on the page, or in --trees");
    set.text("trees", trees_, "DIR", "draw the first --shown sentences of each model, a file each");
    set.text("charts", charts_, "DIR", "write the charts of the page as SVG, a file each");
    set.choice("tree-format", tree_format_, "of --trees");
    set.choice("colour", colour_, "of words in pictures");
    corpus_.declare(set);
    writing_.declare(set);
  }

  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
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
    std::vector<Traced> all = models_.empty() ? read_all() : draw_all();
    for (Traced& traced : all) report.models.push_back(analyze(std::move(traced), tagger));
    auto json = nlohmann::ordered_json::array();
    for (const ReportModel& model : report.models) {
      json.push_back(json_of(model, static_cast<size_t>(words_)));
    }
    output.write_line(json.dump(2));
    output.commit();
    if (page) {
      page->write(write_report(report));
      page->commit();
    }
    if (!trees_.empty()) draw_trees(report);
    if (!charts_.empty()) draw_charts(report);
  }

 private:
  std::vector<Traced> read_all() const {
    std::vector<std::string> names = tell_apart(traces_, name_of_traces);
    std::vector<Traced> all;
    for (size_t i = 0; i < traces_.size(); ++i) {
      Traced& traced = all.emplace_back(Traced{.name = names[i],
                                               .facts = {{"traces", traces_[i]}},
                                               .traces = {},
                                               .curves = {},
                                               .tokenizer = Tokenizer({.pretokenized = true})});
      read_traces(traces_[i], [&](Trace&& trace) { traced.traces.push_back(std::move(trace)); });
    }
    return all;
  }

  std::vector<Traced> draw_all() const {
    std::vector<std::string> names = tell_apart(models_, name_of_folder);
    writing_.compute.apply();
    std::vector<Traced> all;
    for (size_t i = 0; i < models_.size(); ++i) all.push_back(draw_from(models_[i], names[i]));
    return all;
  }

  Traced draw_from(const std::string& folder, const std::string& name) const {
    Model model = load_model(folder, writing_.compute.device);
    model.policy->set_precision(writing_.options.precision);
    std::vector<std::vector<WordId>> sources = read_sources(model, folder);
    std::vector<Prompt> prompts;
    for (const auto& source : sources) prompts.push_back({.source = source});
    Traced traced{.name = name,
                  .facts = facts_of(model),
                  .traces = {},
                  .curves = {},
                  .tokenizer = model.text.tokenizer};
    WriteRequest request{.count = sources.empty() ? count_ : static_cast<int64_t>(sources.size()),
                         .prompts = prompts,
                         .with_scores = true,
                         .alternatives = kAlternatives};
    writing_.write(model, request, [&](std::vector<Written>&& written) {
      for (Written& one : written) {
        if (static_cast<int64_t>(traced.traces.size()) >= shown_) forget_alternatives(one.trace);
        traced.traces.push_back(std::move(one.trace));
      }
    });
    fs::path metrics = fs::path(folder) / "metrics.jsonl";
    if (fs::exists(metrics)) traced.curves = read_training_curves(metrics.string());
    spdlog::info("{}: {} sentences", traced.name, traced.traces.size());
    return traced;
  }

  /// What a model writes from; nothing for a language model.
  std::vector<std::vector<WordId>> read_sources(const Model& model,
                                                const std::string& folder) const {
    std::vector<std::vector<WordId>> sources;
    if (model.config.task == Task::kLm) return sources;
    if (input_.empty()) {
      throw UsageError("'{}' writes from a source (--task {}): give lines by --input FILE", folder,
                       name_of(model.config.task));
    }
    const Text& text = model.source ? *model.source : model.text;
    LineReader reader(input_);
    std::string line;
    while (static_cast<int64_t>(sources.size()) < count_ && reader.next(line)) {
      if (!line.empty()) sources.push_back(text.ids(line));
    }
    if (sources.empty()) throw DataError("'{}' has no lines", input_);
    return sources;
  }

  static std::vector<std::pair<std::string, std::string>> facts_of(const Model& model) {
    const PolicyOptions& policy = model.config.policy;
    const auto& training = model.config.training;
    std::vector<std::pair<std::string, std::string>> facts = {
        {"task", std::string(name_of(model.config.task))},
        {"policy",
         fmt::format("{}, {} × {}", name_of(policy.policy), policy.layers, policy.hidden_size)},
        {"slot context", std::string(name_of(policy.slot_context))},
        {"vocabulary", std::to_string(model.text.vocabulary.size())}};
    if (training.contains("oracle")) facts.emplace_back("oracle", training["oracle"]);
    return facts;
  }

  ReportModel analyze(Traced&& traced, const std::optional<Tagger>& tagger) const {
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

  SampleStatistics measure(const Traced& traced) const {
    Sentences written;
    for (const Trace& trace : traced.traces) written.push_back(trace.sentence());
    auto read = [&](const std::string& path) {
      Sentences sentences;
      if (path.empty()) return sentences;
      read_corpus(path, traced.tokenizer, corpus_,
                  [&](std::vector<std::string>&& words) { sentences.push_back(std::move(words)); });
      if (sentences.empty()) throw DataError("'{}' has no sentences", path);
      return sentences;
    };
    return measure_samples(written, read(train_), read(valid_), kMaxOrder,
                           thread_count(writing_.compute.threads));
  }

  void draw_trees(const Report& report) const {
    make_folder(trees_);
    for (const ReportModel& model : report.models) {
      for (size_t i = 0; i < model.shown.size(); ++i) {
        const Trace& trace = model.shown[i];
        std::string extension =
            tree_format_ == TreeFormat::kText ? "txt" : std::string(name_of(tree_format_));
        fs::path path = fs::path(trees_) /
                        fmt::format("{}-{:03}.{}", file_name_of(model.name), i + 1, extension);
        write_file(path, drawn(trace));
      }
    }
  }

  void draw_charts(const Report& report) const {
    make_folder(charts_);
    for (const auto& figures :
         {tree_figures(report), speech_figures(report), training_figures(report)}) {
      for (const Figure& figure : figures) {
        write_file(fs::path(charts_) / (figure.name + ".svg"), figure.svg);
      }
    }
  }

  std::string drawn(const Trace& trace) const {
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

  std::vector<std::string> models_;
  std::vector<std::string> traces_;
  int64_t count_ = 1000;
  std::string input_;
  std::string output_ = "-";
  std::string tagger_;
  std::string tags_;
  std::string reference_;
  std::string train_;
  std::string valid_;
  CorpusOptions corpus_;
  int64_t words_ = 50;
  std::string report_;
  std::string title_ = "In which order";
  int64_t shown_ = 10;
  std::string trees_;
  std::string charts_;
  TreeFormat tree_format_ = TreeFormat::kSvg;
  NodeColour colour_ = NodeColour::kProbability;
  Writing writing_;
};

}  // namespace

std::unique_ptr<Command> make_analyze_command() {
  return std::make_unique<AnalyzeCommand>();
}

}  // namespace bough::cli
