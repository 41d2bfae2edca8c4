// bough eval completion: what it takes.
#pragma once

#include "bough/analysis/table.h"
#include "bough/data/corpus.h"
#include "writing_options.h"

namespace bough::cli {

class EvalCompletionVerb : public NeuralVerb {
 public:
  EvalCompletionVerb() { writing_.options.shape = SeedShape::kBalanced; }

  std::string_view name() const override { return "eval completion"; }
  std::string_view summary() const override {
    return "Complete sentences around three of their words, and score that.";
  }
  std::string_view usage() const override {
    return "eval completion --model DIR --valid FILE [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Evaluation");
    set.list(
           "model", models_, "DIR",
           "the model's folder, one of `train --seeds`, or the name of a shipped model; models of "
           "one recipe have mean ± standard deviation")
        .names_model()
        .required = true;
    set.text("valid", valid_, "FILE", "real sentences, one a line").required = true;
    set.integer("count", count_, {0, 1'000'000'000}, "complete the first so many; 0: all")
        .short_name = 'n';
    set.text("completions", completions_, "FILE", "write the completions there, too; of one model");
    set.choice("seed-shape", writing_.options.shape, "the tree of the given words");
    set.choice("format", format_, "JSON, text for people, or a table");
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    corpus_.declare(set);
    writing_.declare(set);
  }

 protected:
  std::vector<std::string> models_;
  std::string valid_;
  int64_t count_ = 0;
  std::string completions_;
  TableFormat format_ = TableFormat::kJson;
  std::string output_ = "-";
  CorpusOptions corpus_;
  WritingOptions writing_;
};

}  // namespace bough::cli
