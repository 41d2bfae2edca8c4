// Which words a translation may be written with, by the words of its source.
//
// Of a large vocabulary a sentence's translation needs a few hundred words at most: those that its
// source words are translated by, and the frequent ones. Where only these are scored, the output
// layer costs as much as they are many.
//
// What translates what is learned from pairs of sentences by IBM model 1 (Brown et al. 1993): each
// word of the target comes from one of the source's, whichever; t(e|f) is how likely f's is e.
//
//     count(f, e) = Σ t(e|f) / Σ_g t(e|g)    over pairs with e and f; g are the source's words
//
//     t(e|f) = count(f, e) / Σ_d count(f, d)
//
// in turn. That is done one source word at a time, which keeps its likeliest words only: nothing is
// as wide as both vocabularies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/base/file.h"
#include "bough/data/dataset.h"
#include "bough/text/vocabulary.h"

namespace bough {

class Shortlist {
 public:
  /// Its name in a model's folder.
  static constexpr std::string_view kFile = "shortlist.safetensors";
  /// Translations that are kept of a word, at most.
  static constexpr size_t kKept = 100;

  /// From pairs of sentences, and how many words each language has.
  static Shortlist learn(const Dataset& sources, const Dataset& targets, int64_t source_vocabulary,
                         int64_t vocabulary);

  /// A file belongs to the two vocabularies; DataError where it is damaged or belongs to others.
  static Shortlist load(const fs::path& path, const Vocabulary& source, const Vocabulary& target);
  void save(const fs::path& path, const Vocabulary& source, const Vocabulary& target) const;

  /// The special symbols, the `each` most frequent words, and the `each` likeliest translations of
  /// each word of the source: every one once, by number.
  std::vector<WordId> words_for(std::span<const WordId> source, int64_t each) const;

  /// How many translations all source words have together.
  size_t translations() const { return translations_.size(); }

 private:
  std::vector<uint32_t> frequent_;      // all words but special symbols, the most frequent first
  std::vector<uint32_t> begins_;        // of each source word's translations, and the end
  std::vector<uint32_t> translations_;  // the likeliest first
};

}  // namespace bough
