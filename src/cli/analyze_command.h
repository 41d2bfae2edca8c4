// bough analyze: in which order models write, from their traces or from sentences drawn for it.
// Traces need no tensors; drawing from models is the neural program's part.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bough/analysis/report.h"
#include "bough/analysis/table.h"
#include "bough/analysis/tagger.h"
#include "bough/analysis/tree_picture.h"
#include "bough/ask/source_options.h"
#include "bough/data/corpus.h"
#include "writing_options.h"

namespace bough::cli {

enum class TreeFormat { kSvg, kDot, kText };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::TreeFormat> {
  using Format = bough::cli::TreeFormat;
  static constexpr auto kNames = std::to_array<EnumName<Format>>(
      {{Format::kSvg, "svg"}, {Format::kDot, "dot"}, {Format::kText, "text"}});
};

namespace bough::cli {

/// Sentences with their trees, and whose they are.
struct Traced {
  std::string name;
  std::string recipe;  // runs of one have the same
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Trace> traces;
  std::vector<Series> curves;
  Tokenizer tokenizer;  // how text is split into words like theirs
};

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
    set.list("model", models_, "DIR",
             "a model to draw sentences from: its folder, one of `train --seeds`, or the name of a "
             "shipped one; several times, too")
        .names_model();
    set.list("traces", traces_, "FILE",
             "traces as --format jsonl writes them; several are runs of one recipe, with mean ± "
             "standard "
             "deviation");
    set.integer("count", count_, {1, 1'000'000'000}, "sentences to draw from each model")
        .short_name = 'n';
    set.text("input", input_, "FILE",
             "lines to order or to translate, for models that write from a source")
        .short_name = 'i';
    source_.declare(set);
    set.choice("format", format_, "JSON of all there is, or the main numbers as a table");
    set.text("output", output_, "FILE", "where to write that; -: standard output").short_name = 'o';
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
    set.integer("min-count", min_count_, {1, 1'000'000'000},
                "a high word was seen at least so often, or as often as the most frequent one");
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

  bool neural() const override { return !models_.empty(); }
  void run(OptionSet& set, std::span<const std::string> arguments) override;

 protected:
  /// Sentences of each model; here there are none.
  virtual std::vector<Traced> draw_all(OptionSet& /*set*/) const { return {}; }

  std::vector<std::string> models_;
  int64_t count_ = 1000;
  std::string input_;
  ask::SourceOptions source_;
  int64_t shown_ = 10;
  CorpusOptions corpus_;
  WritingOptions writing_;

 private:
  std::vector<Traced> read_all() const;
  std::string text_of(const Report& report, const std::vector<std::string>& recipes) const;
  ReportModel analyze(Traced&& traced, const std::optional<Tagger>& tagger) const;
  SampleStatistics measure(const Traced& traced) const;
  void draw_trees(const Report& report) const;
  void draw_charts(const Report& report) const;
  std::string drawn(const Trace& trace) const;

  std::vector<std::string> traces_;
  TableFormat format_ = TableFormat::kJson;
  std::string output_ = "-";
  std::string tagger_;
  std::string tags_;
  std::string reference_;
  std::string train_;
  std::string valid_;
  int64_t words_ = 50;
  int64_t min_count_ = 5;
  std::string report_;
  std::string title_ = "In which order";
  std::string trees_;
  std::string charts_;
  TreeFormat tree_format_ = TreeFormat::kSvg;
  NodeColour colour_ = NodeColour::kProbability;
};

}  // namespace bough::cli
