// How verbs that write sentences print them.
//
// One rule for text, whatever the verb and the format: what people write where the model's
// tokenizer can give it (`--tokenizer european`; pieces of words are always put together), else
// words with spaces between them. --detokenize writes those as people do, by rules that guess;
// --tokens gives the model's own words or pieces.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "bough/base/file.h"
#include "bough/base/options.h"

namespace bough {
class Tokenizer;
struct Trace;
struct Written;
}  // namespace bough

namespace bough::cli {

enum class OutputFormat { kText, kJsonl, kTree };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::OutputFormat> {
  using Format = bough::cli::OutputFormat;
  static constexpr auto kNames = std::to_array<EnumName<Format>>(
      {{Format::kText, "text"}, {Format::kJsonl, "jsonl"}, {Format::kTree, "tree"}});
};

namespace bough::cli {

struct TraceOutput {
  std::string file = "-";
  OutputFormat format = OutputFormat::kText;
  bool detokenize = false;
  bool tokens = false;
  int64_t nbest = 0;
  int64_t alternatives = 0;

  void declare(OptionSet& set) {
    set.text("output", file, "FILE", "where to write; -: standard output")
        .about_the_program()
        .short_name = 'o';
    set.choice("format", format, "sentences, traces as JSON lines, or drawn trees")
        .about_the_program();
    set.flag("detokenize", detokenize,
             "write text as people do, `how are you?`, also where the model's tokenizer doesn't "
             "tell how");
    set.flag("tokens", tokens, "write the model's words, or pieces of words, with spaces between");
    set.integer("alternatives", alternatives, {0, 1000},
                "JSON: at each word, the so many likeliest actions");
  }

  void declare_nbest(OptionSet& set) {
    set.integer(
        "nbest", nbest, {0, 1'000'000},
        "for each line the best so many different sentences, best first (of a search, of a "
        "vote, or of ten times as many samples), with scores: `LINE ||| TEXT ||| F0= "
        "LOGPROB ||| SCORE`, or as a field of JSON; with --rerank also F1=, the likelihood");
  }

  /// UsageError for options that contradict each other.
  void check() const;

  /// Whether the log-probabilities of steps are printed, or their sum.
  bool has_scores() const { return format == OutputFormat::kJsonl || nbest > 0; }

  /// Sentences for line `number`, from 0, each on a line of its own. With --nbest they have scores:
  /// text is in the form that translation tools read.
  void write(int64_t number, std::span<const Written> found, const Tokenizer& tokenizer,
             OutputFile& output) const;

  /// A sentence as JSON.
  nlohmann::ordered_json json_of(const Written& written, const Tokenizer& tokenizer) const;

 private:
  /// A sentence as it is printed, without a line end.
  std::string render(int64_t number, const Written& written, const Tokenizer& tokenizer) const;
  std::string scored_text(int64_t number, const Written& written, const std::string& text) const;
  std::string text_of(const Trace& trace, const Tokenizer& tokenizer) const;
  /// What a drawn tree's nodes read.
  std::vector<std::string> labels_of(const Trace& trace) const;
};

}  // namespace bough::cli
