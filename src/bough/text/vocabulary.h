// Words and their numbers.
//
// The first ids belong to special symbols. They are no words: looking up the text `<end>` never
// gives kEnd, so a corpus that contains such a text can't collide with them (its word gets an id of
// its own). On disk a vocabulary is a text file with one entry a line, the specials first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/options.h"
#include "bough/text/word_numbers.h"

namespace bough {

using WordId = int32_t;

/// The special symbols, in the order of the authors' program.
constexpr WordId kStart = 0;    // what the policy reads before the first action
constexpr WordId kPad = 1;      // never trained, never produced
constexpr WordId kBagEnd = 2;   // closes a bag of words
constexpr WordId kUnknown = 3;  // any word outside the vocabulary
constexpr WordId kEnd = 4;      // the action that closes a slot of the tree
constexpr WordId kSpecials = 5;

constexpr std::string_view kSpecialNames[kSpecials] = {"<s>", "<p>", "</s>", "<unk>", "<end>"};

struct VocabularyOptions {
  int64_t max_vocab = 0;
  int64_t min_count = 1;

  void declare(OptionSet& set) {
    set.integer("max-vocab", max_vocab, {0, 10'000'000},
                "keep this many of the most frequent words; 0: all");
    set.integer("min-count", min_count, {1, 1'000'000'000},
                "drop words that occur less often in the training data");
  }
};

/// Counts words while a corpus is read.
using WordCounts = std::unordered_map<std::string, int64_t>;

class Vocabulary {
 public:
  /// The specials, then words by falling count (equal counts in byte order).
  static Vocabulary build(const WordCounts& counts, const VocabularyOptions& options);

  static Vocabulary load(const fs::path& path);
  void save(const fs::path& path) const;

  /// kUnknown for a word that isn't in it.
  WordId id(std::string_view word) const;
  std::vector<WordId> ids(std::span<const std::string> words) const;

  /// The text of an id; specials by their name.
  const std::string& word(WordId id) const { return words_[static_cast<size_t>(id)]; }
  std::vector<std::string> words(std::span<const WordId> ids) const;

  int64_t size() const { return static_cast<int64_t>(words_.size()); }

 private:
  void add(std::string word);

  std::vector<std::string> words_;
  WordNumbers numbers_;  // of those behind the specials, which can't be looked up
};

}  // namespace bough
