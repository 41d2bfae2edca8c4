// A walk down the tree of one gold sentence.
//
// The walk keeps, for every open slot, the span of the sentence that belongs into it; it says which
// actions are right at the front slot, and goes on with the one that is taken. Along valid actions
// it always ends with the gold sentence. Off them (learned roll-ins) the tree goes on:
//
//   - a wrong word: the span is cut in the middle, half for each side (at an empty span both sides
//     are empty). No word is lost. (Its open sides follow from the halves.)
//   - <end> at a span that has words would lose them, so it is never taken: see `allows_end`.
//   - a walk takes at most as many wrong words as the sentence has right ones, so that it ends: see
//     `may_err`.
#pragma once

#include <span>
#include <vector>

#include "bough/base/random.h"
#include "bough/oracle/oracle.h"
#include "bough/tree/step_input.h"
#include "bough/tree/tree.h"

namespace bough {

/// A right answer: an action, its weight, and how many places of the span it stands at (1 for
/// <end>).
struct ValidAction {
  Action action;
  float weight = 0.0F;
  int count = 0;
};

class Walk {
 public:
  /// `oracle` must outlive the walk.
  Walk(std::span<const WordId> sentence, const Oracle& oracle, Duplicates duplicates,
       Shape shape = Shape::kEnd, WordId end = kEnd);

  bool done() const { return tree_.complete(); }
  const Tree& tree() const { return tree_; }

  /// The right answers at the front slot, by rising word.
  std::span<const ValidAction> valid() const { return valid_at(tree_.steps()); }

  /// The right answers at a step already taken, or at the front slot.
  std::span<const ValidAction> valid_at(int step) const;

  /// Index of a right answer, by the oracle's weights.
  int draw(RandomStream& random) const;

  /// Takes valid()[index]; `random` chooses among equal ones.
  void take(int index, RandomStream& random);

  /// The places of the front span that are right answers, by (word, position); none where <end> is.
  std::span<const Place> right_places() const { return places_; }

  /// What takes one of them.
  Action action_of(const Place& place) const {
    return {place.word, open_sides(place.position, place.position + 1)};
  }

  /// Takes the word of right_places()[index], or, where there are none, <end>.
  void take_place(size_t index);

  /// Takes a word or <end>, right or wrong, as far as allows_end() and may_err() let it be wrong.
  void take_action(WordId action, RandomStream& random);

  bool allows_end() const { return spans_[front()].begin == spans_[front()].end; }
  bool may_err() const { return errors_ < std::ssize(sentence_); }

  /// How many words belong into the slot that a step fills: none where <end> is right.
  int due_at(int step) const {
    const Bounds& span = spans_[static_cast<size_t>(step)];
    return span.end - span.begin;
  }

  /// The action that was taken at a step.
  Action action_at(int step) const { return tree_.action(step, end_); }

  /// What a policy reads at a step already taken, or at the front slot.
  StepInput input_at(int step, WordId start = kStart) const {
    return step_input(tree_, step, start, end_);
  }
  StepInput input() const { return input_at(tree_.steps()); }

 private:
  struct Bounds {
    int begin = 0;
    int end = 0;
  };

  size_t front() const { return static_cast<size_t>(tree_.steps()); }
  void find_valid();
  /// Which sides are open where the front span is cut like this.
  Sides open_sides(int left_end, int right_begin) const;
  void split(WordId word, int left_end, int right_begin);
  /// Takes one of so many equal places.
  void take_one(size_t first, size_t count, RandomStream& random);

  const Oracle& oracle_;
  Duplicates duplicates_;
  Shape shape_;
  WordId end_;
  std::vector<WordId> sentence_;
  std::vector<Place> sorted_;  // the whole sentence by (word, position)
  Tree tree_;
  std::vector<Bounds> spans_;        // by slot
  std::vector<ValidAction> valid_;   // all steps' lists, one behind the other
  std::vector<size_t> valid_begin_;  // by step; the last list ends with valid_
  std::vector<Place> places_;        // right ones of the front span
  std::vector<double> weights_;      // of those
  int errors_ = 0;                   // wrong words taken
};

}  // namespace bough
