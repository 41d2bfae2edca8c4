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
//   - Codes files say `#version: 0.2` in their first line. Files without such a line are of version
//     0.1, where the end of a word is a symbol of its own, `l o w e r </w>`; they are read too. Of
//     a merge that stands there twice the first counts.
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
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/options.h"
#include "bough/text/vocabulary.h"
#include "bough/text/word_numbers.h"

namespace bough {

constexpr std::string_view kBpeSeparator = "@@";
constexpr std::string_view kBpeEndOfWord = "</w>";

struct BpeMerge {
  std::string left;
  std::string right;

  bool operator==(const BpeMerge&) const = default;
};

struct BpeCodes {
  std::vector<BpeMerge> merges;  // the earliest learned first
  bool separate_end = false;     // version 0.1: the end of a word is a symbol of its own

  /// DataError names file and line.
  static BpeCodes load(const fs::path& path);
  void save(const fs::path& path) const;

  bool operator==(const BpeCodes&) const = default;
};

/// The characters of a word, as merging starts from them (without the mark at its end).
std::vector<std::string_view> bpe_characters(std::string_view word);

/// A file of `piece count` lines, as subword-nmt's get_vocab writes it. DataError names file and
/// line.
WordCounts read_bpe_vocabulary(const fs::path& path);

/// By falling count, equal counts in byte order.
void write_bpe_vocabulary(const fs::path& path, const WordCounts& counts);

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

/// Cuts sentences, and remembers the words it has met. One a thread.
class BpeSplitter {
 public:
  /// `bpe` must outlive it.
  explicit BpeSplitter(const Bpe& bpe) : bpe_(bpe) {}

  std::vector<std::string> split(std::span<const std::string> words);
  /// Words and pieces with spaces between them.
  std::string split_line(std::string_view line);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  const std::vector<std::string>& pieces_of(std::string_view word);

  const Bpe& bpe_;
  std::unordered_map<std::string, std::vector<std::string>, Hash, std::equal_to<>> known_;
};

/// The words of a sentence in pieces: what `split` was given. A separator at the very end, as a
/// model may write it, is left out.
std::vector<std::string> join_bpe(std::span<const std::string> pieces);
std::string join_bpe_line(std::string_view line);

}  // namespace bough
