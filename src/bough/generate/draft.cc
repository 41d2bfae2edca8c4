#include "bough/generate/draft.h"

#include <algorithm>

namespace bough {

void Draft::forbid_words(ActionDistribution& slot) const {
  for (WordId word : demanded_.avoided()) slot.forbid(word);
  for (WordId piece : demanded_.unfinished()) slot.forbid(piece);
  std::span<const WordId> bag = demanded_.bag_words();
  if (!bag.empty()) slot.forbid_all_but(bag);
}

Allowed Draft::allowed() const {
  std::span<const WordId> bag = demanded_.bag_words();
  Demanded::Choice choice = demanded_.choice();
  return {.end = choice.end,
          .word = choice.word && !(choice.end && too_deep()),
          .unknown = !bag.empty() && bag.front() == kUnknown,
          .avoids = demanded_.avoids(),
          .words_due = words_due(),
          .sides = sides(kFree)};
}

double Draft::words_due() const {
  if (expected_length_ <= 0.0) return 0.0;
  double words = result_.tree.word_count();
  double slots = result_.tree.open_slots();
  // Where a word comes with its sides, it is there and they are what is asked about.
  return demanded_.shape() == Shape::kEnd ? (expected_length_ - words) / slots
                                          : (expected_length_ - words - 1.0) / (slots + 1.0);
}

AllowedSides Draft::sides(int given) const {
  AllowedSides allowed = demanded_.sides(given);
  if (demanded_.shape() == Shape::kEnd || !too_deep(1)) return allowed;
  int fewest = 2;
  for (Sides open : kAllSides) {
    if (allowed[index_of(open)]) fewest = std::min(fewest, count_of(open));
  }
  for (Sides open : kAllSides) {
    if (count_of(open) > fewest) allowed[index_of(open)] = false;
  }
  return allowed;
}

bool Draft::kept_from_more(int given, Sides open) const {
  if (demanded_.shape() == Shape::kEnd) return false;
  AllowedSides allowed = sides(given);
  AllowedSides unbounded = demanded_.sides(given, /*within_length=*/false);
  for (Sides more : kAllSides) {
    bool wider =
        count_of(more) > count_of(open) && (index_of(more) & index_of(open)) == index_of(open);
    if (wider && unbounded[index_of(more)] && !allowed[index_of(more)]) return true;
  }
  return false;
}

void Draft::place_given(int index, Sides open) {
  result_.finished = result_.finished && !kept_from_more(index, open);
  result_.tree.add_word(demanded_.given(index).word, open);
  demanded_.place_given(index, open);
}

void Draft::take(Action action) {
  if (action.word == kEnd) {
    bool by_bound = too_deep() || demanded_.choice().too_long;
    result_.finished = result_.finished && !by_bound;
    demanded_.take_end();
    result_.tree.add_end();
  } else {
    result_.finished = result_.finished && !kept_from_more(kFree, action.open);
    demanded_.take_word(action.word, action.open);
    result_.tree.add_word(action.word, action.open);
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
