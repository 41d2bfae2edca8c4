#include "bough/generate/avoided.h"

namespace bough {

WordsSoFar::WordsSoFar(std::span<const GivenWord> given) {
  auto count = static_cast<int>(given.size());
  for (int i = 0; i < count; ++i) {
    places_.push_back({.word = given[static_cast<size_t>(i)],
                       .left = i - 1,
                       .right = i + 1 < count ? i + 1 : kBegin});
  }
  if (count > 0) first_ = 0;
}

int WordsSoFar::insert_behind(int left, WordId word) {
  auto number = static_cast<int>(places_.size());
  int right = behind(left);
  places_.push_back({.word = {word, ""}, .left = left, .right = right});
  (left == kBegin ? first_ : places_[static_cast<size_t>(left)].right) = number;
  if (right != kBegin) places_[static_cast<size_t>(right)].left = number;
  return number;
}

std::vector<WordId> WordsSoFar::completing(std::span<const Phrase> phrases, int left) const {
  std::vector<WordId> words;
  for (const Phrase& phrase : phrases) {
    for (size_t i = 0; i < phrase.size(); ++i) {
      if (phrase[i].word != kUnknown && stands_around(phrase, i, left)) {
        words.push_back(phrase[i].word);
      }
    }
  }
  return words;
}

bool WordsSoFar::stands_around(const Phrase& phrase, size_t index, int left) const {
  int before = left;
  for (size_t i = index; i > 0; --i, before = at(before).left) {
    if (before == kBegin || !at(before).word.is(phrase[i - 1])) return false;
  }
  int after = behind(left);
  for (size_t i = index + 1; i < phrase.size(); ++i, after = at(after).right) {
    if (after == kBegin || !at(after).word.is(phrase[i])) return false;
  }
  return true;
}

}  // namespace bough
