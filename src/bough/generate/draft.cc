#include "bough/generate/draft.h"

#include <algorithm>
#include <cmath>

namespace bough {

namespace {

/// Leaves a logit only to words that may be taken, and says whether <unk> is one of a bag.
bool forbid_words(const Demanded& demanded, std::span<float> logits) {
  for (WordId word : demanded.avoided()) logits[static_cast<size_t>(word)] = -INFINITY;
  std::span<const WordId> bag = demanded.bag_words();
  if (bag.empty()) return false;
  float end = logits[kEnd];
  std::vector<float> kept;
  for (WordId word : bag) kept.push_back(logits[static_cast<size_t>(word)]);
  std::fill(logits.begin(), logits.end(), -INFINITY);
  for (size_t i = 0; i < bag.size(); ++i) logits[static_cast<size_t>(bag[i])] = kept[i];
  logits[kEnd] = end;
  return bag.front() == kUnknown;
}

}  // namespace

Allowed Draft::allow(std::span<float> logits) const {
  Demanded::Choice choice = demanded_.choice();
  return {.end = choice.end,
          .word = choice.word && !(choice.end && too_deep()),
          .unknown = forbid_words(demanded_, logits),
          .words_due = words_due()};
}

double Draft::words_due() const {
  if (expected_length_ <= 0.0) return 0.0;
  return (expected_length_ - result_.tree.word_count()) / result_.tree.open_slots();
}

void Draft::place_given(int index) {
  result_.tree.add_word(demanded_.given(index).word);
  demanded_.place_given(index);
}

void Draft::take(WordId action) {
  if (action == kEnd) {
    bool by_bound = too_deep() || demanded_.choice().too_long;
    result_.finished = result_.finished && !by_bound;
    demanded_.take_end();
    result_.tree.add_end();
  } else {
    demanded_.take_word(action);
    result_.tree.add_word(action);
  }
}

DecodedTree Draft::finish() && {
  if (demanded_.names_words()) {
    result_.texts = demanded_.texts();
    result_.given = demanded_.was_given();
  }
  return std::move(result_);
}

}  // namespace bough
