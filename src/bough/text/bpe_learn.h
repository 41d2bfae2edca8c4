// Learning byte-pair codes from words and how often they occur.
//
// All words start as characters. The pair of neighbouring symbols that occurs most often (each word
// as often as it stands in the text) becomes one symbol in all words, and this is the first merge;
// then the most frequent pair of what is there now, and so on. Of equally frequent pairs the last
// in the order of code points wins (left symbol, then right). This is the order of subword-nmt
// 0.3.9.
//
// For codes of two languages together, add up the counts of both corpora.
#pragma once

#include "bough/base/options.h"
#include "bough/text/bpe_codes.h"
#include "bough/text/vocabulary.h"

namespace bough {

struct BpeLearnOptions {
  int64_t merges = 10'000;
  int64_t min_frequency = 2;

  void declare(OptionSet& set) {
    set.integer("bpe-merges", merges, {0, 100'000'000}, "learn this many merges");
    set.integer("bpe-min-frequency", min_frequency, {1, 1'000'000'000'000},
                "stop where no pair of symbols occurs this often");
  }
};

/// Codes of version 0.2. DataError for a word with a blank or a line break in it.
BpeCodes learn_bpe(const WordCounts& counts, const BpeLearnOptions& options);

}  // namespace bough
