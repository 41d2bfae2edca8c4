// bough score: what it takes.
#pragma once

#include "bough/generate/likelihood.h"
#include "bough/model/precision.h"
#include "command.h"
#include "line_options.h"
#include "source_options.h"

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
    source_.declare(set);
    set.integer("max-words", max_words_, {1, 1'000'000},
                "a sentence of more words (or pieces of words) is refused");
    likelihood_.declare(set);
    set.choices(
        "order", orders_,
        "for a model that was trained with --orders: by which of them; the first if none is "
        "named");
    set.flag("all-trees", all_trees_,
             "sum over all trees even where the model has learned one order, and so has one tree "
             "for a sentence");
    set.text("output", output_, "FILE", "where to write; -: standard output")
        .about_the_program()
        .short_name = 'o';
    set.choice("format", format_,
               "JSON lines, or perplexity, log-likelihood and sentence (and its words) with tabs "
               "between them")
        .about_the_program();
    set.flag("summary", summary_, "one answer for all lines together").about_the_program();
    set.flag(
        "by-word", by_word_,
        "what each word costs, too: how much likelier the sentence is without it, and with the "
        "best other word in its place");
    set.integer("others", others_, {0, 1000},
                "other words that --by-word tries at each place: those that the model likes best");
    set.text(
           "report", report_, "FILE",
           "an HTML page of the first thousand sentences, their words coloured by what they cost; "
           "with --by-word")
        .about_the_program();
    set.integer("seed", seed_, {0, INT64_MAX}, "names all random draws");
    set.integer("batch-size", batch_size_, {1, 1'000'000},
                "trees side by side; changes speed, not output")
        .about_the_program();
    set.choice("precision", precision_,
               "numbers to compute with; unless set, what the model is kept in")
        .about_the_program();
    common_.declare(set);
    compute_.declare(set);
  }

 protected:
  std::string model_;
  LineOptions lines_;
  std::string source_file_;
  SourceOptions source_;
  int64_t max_words_ = 500;
  LikelihoodOptions likelihood_;
  std::vector<OracleKind> orders_;
  bool all_trees_ = false;
  std::string output_ = "-";
  ScoreFormat format_ = ScoreFormat::kJsonl;
  bool summary_ = false;
  bool by_word_ = false;
  int64_t others_ = 5;
  std::string report_;
  int64_t seed_ = 1;
  int64_t batch_size_ = 256;
  Precision precision_ = Precision::kFloat;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace bough::cli
