// What a tagger looks at to tag a word, each thing as a 32-bit key.
//
// A key is a hash of which question is asked and of its answer ("the word before is `the`"), so no
// table of texts is needed. Two features in 100,000 may share a key by chance, which does no harm.
//
// Case says much where a text has it and nothing where it hasn't: whether a sentence has letters of
// both cases is part of every question about case.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bough/analysis/universal_tag.h"

namespace bough {

using FeatureKey = uint32_t;

/// What training saw of a word, whatever its case.
struct WordEntry {
  /// Room for the bits of all tags, then the most frequent tag.
  static constexpr uint32_t kTagBits = (1U << kUniversalTags) - 1;
  static constexpr uint32_t kCertain = 1U << 31;

  /// The tags it had, as bits, its most frequent tag above them, and whether that is all that need
  /// be known. 0: too rare to tell.
  uint32_t bits = 0;

  bool is_certain() const { return (bits & kCertain) != 0; }
  UniversalTag usual_tag() const {
    return static_cast<UniversalTag>((bits & ~kCertain) >> kUniversalTags);
  }
};

/// Words by the hash of their lower-case form.
using WordEntries = std::unordered_map<uint32_t, WordEntry>;

/// The key of a word in WordEntries; `lower` is in lower case.
uint32_t word_key(std::string_view lower);

/// The features of a sentence's words.
class SentenceFeatures {
 public:
  SentenceFeatures(std::span<const std::string> words, const WordEntries& entries);

  size_t size() const { return words_.size() - 2 * kMargin; }

  const WordEntry& entry(size_t word) const { return words_[word + kMargin].entry; }

  /// Appends the keys of what can be known before any word is tagged.
  void fixed_keys(size_t word, std::vector<FeatureKey>& keys) const;

  /// Appends the keys of what the tags of the words before say; `tags` has those.
  void tag_keys(size_t word, std::span<const UniversalTag> tags,
                std::vector<FeatureKey>& keys) const;

 private:
  static constexpr size_t kMargin = 2;   // words outside the sentence that are asked about
  static constexpr size_t kLongest = 4;  // characters of a beginning or ending

  /// A word by itself: hashes of what is asked about it.
  struct Word {
    uint64_t lower = 0;
    uint64_t shape = 0;                  // `Xxx-dd`, runs cut short
    uint64_t beginnings[kLongest] = {};  // of 1, 2, … characters
    uint64_t endings[kLongest] = {};
    WordEntry entry;
  };

  Word look_at(const std::string& text, uint64_t sentence_case, const WordEntries& entries) const;

  std::vector<Word> words_;  // with kMargin empty ones on either side
};

}  // namespace bough
