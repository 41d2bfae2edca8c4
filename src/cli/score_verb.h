// bough score: what it takes.
#pragma once

#include "bough/ask/score_options.h"
#include "bough/model/precision.h"
#include "command.h"
#include "line_options.h"

namespace bough::cli {

enum class ScoreFormat { kJsonl, kText };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::ScoreFormat> {
  using Format = bough::cli::ScoreFormat;
  static constexpr auto kNames =
      std::to_array<EnumName<Format>>({{Format::kJsonl, "jsonl"}, {Format::kText, "text"}});
};

namespace bough::cli {

class ScoreVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "score"; }
  std::string_view summary() const override { return "Say how likely sentences are."; }
  std::string_view usage() const override { return "score --model DIR [-i FILE] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Scoring");
    set.text("model", model_, "DIR", "the model's folder, or the name of a shipped one")
        .names_model()
        .about_the_program()
        .required = true;
    lines_.declare(set, "a sentence a line");
    set.text("source", source_file_, "FILE",
             "what the sentences are translated from, line by line; for models that translate")
        .about_the_program();
    set.text("output", output_, "FILE", "where to write; -: standard output")
        .about_the_program()
        .short_name = 'o';
    set.choice("format", format_,
               "JSON lines, or perplexity, log-likelihood and sentence (and its words) with tabs "
               "between them")
        .about_the_program();
    set.flag("summary", summary_, "one answer for all lines together").about_the_program();
    set.text(
           "report", report_, "FILE",
           "an HTML page of the first thousand sentences, their words coloured by what they cost; "
           "with --by-word")
        .about_the_program();
    set.choice("precision", precision_,
               "numbers to compute with; unless set, what the model is kept in")
        .about_the_program();
    declare_task(set);
    common_.declare(set);
    compute_.declare(set);
  }

 protected:
  /// What is asked of the model.
  virtual void declare_task(OptionSet& set) { declared_.declare(set); }

  std::string model_;
  LineOptions lines_;
  std::string source_file_;
  std::string output_ = "-";
  ScoreFormat format_ = ScoreFormat::kJsonl;
  bool summary_ = false;
  std::string report_;
  Precision precision_ = Precision::kFloat;
  CommonOptions common_;
  ComputeOptions compute_;

 private:
  ask::ScoreOptions declared_;
};

}  // namespace bough::cli
