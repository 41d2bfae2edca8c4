// A part-of-speech tagger: universal tags for the words of a sentence, from left to right.
//
// A word's tag is the one with the largest sum of weights over the word's features
// (tagger_features.h); the tags given to the words before are among the features. Words that had
// one tag only and were frequent in training get it at once. Learning is in tagger_learn.h.
//
// On disk a tagger is a safetensors file: it is a handful of arrays, and that format already has
// the checksum, the atomic writing and the messages about damaged files. Nearly all weights are
// zero, so only the others are stored:
//
//     word_keys     U32 [words]      rising; hashes of the words of the training data
//     word_entries  U32 [words]      what is known of them (WordEntry)
//     feature_keys  U32 [features]   rising
//     feature_tags  U32 [features]   which tags have a weight, as bits
//     weights       I8  [non-zero]   those weights, feature by feature, tag by tag
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/analysis/feature_table.h"
#include "bough/analysis/tagger_features.h"
#include "bough/analysis/universal_tag.h"
#include "bough/base/file.h"

namespace bough {

/// Rows of weights by feature.
struct TaggerWeights {
  std::vector<FeatureKey> keys;  // rising
  std::vector<int8_t> rows;      // [keys, kUniversalTags]
};

class Tagger {
 public:
  Tagger(WordEntries words, TaggerWeights weights);

  /// DataError where the file is damaged or isn't a tagger.
  static Tagger load(const fs::path& path);
  void save(const fs::path& path) const;

  /// A tag for each word.
  std::vector<UniversalTag> tag(std::span<const std::string> words) const;

  /// Whether training saw the word, in whatever case.
  bool knows(std::string_view word) const;

  size_t word_count() const { return words_.size(); }
  size_t feature_count() const { return weights_.keys.size(); }

 private:
  UniversalTag best_tag(std::span<const FeatureKey> keys) const;

  static constexpr size_t kRowWidth = 32;  // tags, rounded up to whole vector registers

  WordEntries words_;
  TaggerWeights weights_;
  FeatureTable table_;        // the rows of the keys
  std::vector<int8_t> rows_;  // [keys, kRowWidth]
};

/// The tagger that bough comes with: the file that the environment variable BOUGH_TAGGER names,
/// else the installed one, else that of the source tree. DataError where there is none.
fs::path default_tagger_path();

}  // namespace bough
