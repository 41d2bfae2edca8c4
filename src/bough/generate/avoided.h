// Phrases that may not appear in a sentence; a single word is a phrase of one.
//
// A tree grows words anywhere, so what will stand beside a word is open until the end. But the
// words that are there stay in their order, and given words have their places from the beginning: a
// phrase can come about only by the word that completes it. That word is forbidden at that slot. So
// no word makes a phrase, and in the end there is none, if words are demanded between given ones
// that would make a phrase by themselves (Demands::avoid).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bough/text/vocabulary.h"

namespace bough {

/// A word as it was given; its text is kept where the vocabulary doesn't have it.
struct GivenWord {
  WordId word = kUnknown;
  std::string text;

  bool is(const GivenWord& other) const {
    return word == other.word && (word != kUnknown || text == other.text);
  }
};

using Phrase = std::vector<GivenWord>;

/// A sentence under way: the given words, and those that have been put between them.
class WordsSoFar {
 public:
  static constexpr int kBegin = -1;  // what the first word stands behind

  explicit WordsSoFar(std::span<const GivenWord> given);

  /// Puts a word behind that one; the given words have the first numbers. Its number.
  int insert_behind(int left, WordId word);

  /// The words that would complete one of the phrases right behind that word.
  std::vector<WordId> completing(std::span<const Phrase> phrases, int left) const;

 private:
  struct Place {
    GivenWord word;
    int left = kBegin;
    int right = kBegin;  // behind the last word, too
  };

  int behind(int left) const { return left == kBegin ? first_ : at(left).right; }
  const Place& at(int number) const { return places_[static_cast<size_t>(number)]; }
  /// Whether the words up to `left` end, and those behind it begin, as the phrase does around its
  /// word number `index`.
  bool stands_around(const Phrase& phrase, size_t index, int left) const;

  std::vector<Place> places_;
  int first_ = kBegin;
};

}  // namespace bough
