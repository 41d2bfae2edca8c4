#include "bough/generate/draft.h"

namespace bough {

Allowed Draft::allow(ActionDistribution& slot) const {
  for (WordId word : demanded_.avoided()) slot.forbid(word);
  std::span<const WordId> bag = demanded_.bag_words();
  if (!bag.empty()) slot.forbid_all_but(bag);
  Demanded::Choice choice = demanded_.choice();
  return {.end = choice.end,
          .word = choice.word && !(choice.end && too_deep()),
          .unknown = !bag.empty() && bag.front() == kUnknown,
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
