// Byte-pair encoding: rare words written as several frequent pieces.
//
// A word starts as its characters (code points), the last one marked as such: `l o w e r</w>`.
// Codes are a list of merges, `e r</w>` say, in the order in which they were learned (bpe_learn.h).
// The earliest merge that fits anywhere in the word is made wherever it fits, from left to right,
// then the earliest of those that fit now, until none does. What is left are the pieces; each but
// the last carries the separator `@@`: `low@@ er`. Taking `@@ ` away gives the text back.
//
// Codes and output are those of subword-nmt 0.3.9 (Sennrich, Haddow and Birch 2016):
//
//   - Only U+0020 parts words. White space of other kinds is a character like any other; blanks at
//     the ends of a line stay, between words one is left.
//   - Glossaries are never cut and never merged with what surrounds them. They are plain text here,
//     regular expressions there. Each stretch between them is encoded as if it were a word.
//   - With a vocabulary, merges whose result it doesn't have are undone, as long as they can be.
//
// Two things differ on purpose. A word whose last piece would end in `@@` couldn't be told from one
// that goes on, so its last `@` becomes a piece of its own; and a vocabulary from which the
// threshold takes everything undoes all merges there, where the reference then undoes none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bough/base/options.h"
#include "bough/text/bpe_codes.h"
#include "bough/text/word_numbers.h"

namespace bough {

/// The characters of a word, as merging starts from them (without the mark at its end).
std::vector<std::string_view> bpe_characters(std::string_view word);

struct BpeOptions {
  int64_t first_merges = -1;
  std::vector<std::string> glossaries = {};
  std::string vocabulary = {};
  int64_t vocabulary_threshold = 1;

  void declare(OptionSet& set) {
    set.integer("bpe-first-merges", first_merges, {-1, 100'000'000},
                "use only this many of the merges learned first; -1: all");
    set.list("bpe-glossaries", glossaries, "TEXT", "text that is never cut into pieces");
    set.text(
        "bpe-vocabulary", vocabulary, "FILE",
        "pieces with their counts; merges are undone where they make a piece that isn't there");
    set.integer("bpe-vocabulary-threshold", vocabulary_threshold, {0, 1'000'000'000'000},
                "pieces of the vocabulary that are rarer count as not there");
  }
};

/// Cuts words into pieces. It never changes, so threads can share it.
class Bpe {
 public:
  /// Reads `options.vocabulary` where it names a file.
  explicit Bpe(const BpeCodes& codes, const BpeOptions& options = {});

  /// The pieces of a word without blanks, all but the last with the separator behind them.
  std::vector<std::string> split_word(std::string_view word) const;

  /// The merge that the codes make a piece by, or null. `is_last`: at the end of a word.
  const BpeMerge* merge_that_makes(std::string_view piece, bool is_last) const;

 private:
  struct Merge {
    uint32_t rank;
    uint32_t symbol;  // what it makes
  };
  class MergingWord;

  const Merge* find_merge(uint32_t left, uint32_t right) const;
  const BpeMerge* made_by(std::string_view symbol) const;
  std::vector<std::string_view> cut_out_glossaries(std::string_view word) const;
  std::vector<std::string_view> encode(std::string_view word) const;
  bool is_frequent(std::string_view piece, bool is_last) const;
  void add_frequent(std::string_view piece, bool is_last,
                    std::vector<std::string_view>& pieces) const;

  std::vector<BpeMerge> merges_;
  bool separate_end_;
  std::vector<std::string> glossaries_;
  bool has_vocabulary_;
  std::unordered_set<std::string> vocabulary_;       // the pieces that are frequent enough
  WordNumbers symbols_;                              // characters and what merges make of them
  std::unordered_map<uint64_t, Merge> merge_of_;     // by the numbers of its two symbols
  std::unordered_map<uint32_t, uint32_t> maker_of_;  // a symbol's merge, as a place in `merges_`
};

}  // namespace bough
