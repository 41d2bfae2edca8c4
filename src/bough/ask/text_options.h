// How sentences are told, and how many of them.
//
// One rule for text, whoever asks: what people write where the model's tokenizer can give it
// (`--tokenizer european`; pieces of words are always put together), else words with spaces between
// them. --detokenize writes those as people do, by rules that guess; --tokens gives the model's own
// words or pieces.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bough/base/options.h"

namespace bough {
class Tokenizer;
struct Trace;
struct Written;
}  // namespace bough

namespace bough::ask {

struct TextOptions {
  bool detokenize = false;
  bool tokens = false;
  int64_t alternatives = 0;
  int64_t nbest = 0;

  void declare(OptionSet& set) {
    set.flag("detokenize", detokenize,
             "write text as people do, `how are you?`, also where the model's tokenizer doesn't "
             "tell how");
    set.flag("tokens", tokens, "write the model's words, or pieces of words, with spaces between");
    set.integer("alternatives", alternatives, {0, 1000},
                "JSON: at each word, the so many likeliest actions");
    set.integer(
        "nbest", nbest, {0, 1'000'000},
        "for each line the best so many different sentences, best first (of a search, of a "
        "vote, or of ten times as many samples), with scores: `LINE ||| TEXT ||| F0= "
        "LOGPROB ||| SCORE`, or as a field of JSON; with --rerank also F1=, the likelihood");
  }

  /// UsageError for options that contradict each other.
  void check() const;

  std::string text_of(const Trace& trace, const Tokenizer& tokenizer) const;
  /// What a drawn tree's nodes read.
  std::vector<std::string> labels_of(const Trace& trace) const;
  /// A sentence as JSON.
  nlohmann::ordered_json json_of(const Written& written, const Tokenizer& tokenizer) const;
};

}  // namespace bough::ask
