// Statistics of a corpus: how much there is, how long its sentences are, how rare its words.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bough/data/corpus.h"
#include "bough/text/tokenizer.h"

namespace bough {

/// How many sentences have `low` to `high` words.
struct LengthBin {
  int64_t low = 0;
  int64_t high = 0;
  int64_t sentences = 0;

  bool operator==(const LengthBin&) const = default;
};

struct CorpusStatistics {
  std::string file;
  CorpusReport report;  // sentences, words, empty and bad lines
  int64_t distinct_words = 0;
  int64_t single_words = 0;   // that occur once (hapax legomena)
  double mean_length = 0;     // words a sentence; the lengths are 0 where there is no sentence
  int64_t median_length = 0;  // the lower of two middle ones
  int64_t shortest = 0;
  int64_t longest = 0;
  std::vector<LengthBin> lengths;  // bins of equal width from 1 word on, at most 20

  /// The share of running words that occur once.
  double single_share() const {
    return report.words == 0
               ? 0.0
               : static_cast<double>(single_words) / static_cast<double>(report.words);
  }
};

/// Reads the corpus once. Errors are those of `read_corpus`.
CorpusStatistics measure_corpus(const std::string& path, const Tokenizer& tokenizer,
                                const CorpusOptions& options);

/// Some lines for people, with a histogram of bars.
std::string describe(const CorpusStatistics& statistics);

/// For programs; the same numbers by name.
nlohmann::ordered_json to_json(const CorpusStatistics& statistics);

}  // namespace bough
