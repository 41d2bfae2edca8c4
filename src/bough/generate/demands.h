// What a sentence has to be, and what follows from that at each slot of its tree.
//
// Demands are some given words in order, with a gap before, between and behind them; a gap has
// bounds on its number of words, and so has the sentence. Phrases that may not appear, or a bag
// that all other words are taken from, may come with them. A language model's own sentence is one
// gap.
//
// A `Demanded` goes along with the tree: every open slot owns some of the given words and the gaps
// around them. While it owns a given word, one of these is placed there, and parts the rest; a slot
// without is a piece of one gap, and the policy fills it. What is allowed at a slot is chosen so
// that whatever the policy does, everything that is demanded can still be met; so at the end it is.
//
// Where words come with their open sides (tree/shape.h), a slot takes a word for certain, and what
// is chosen with it is which of its sides are slots: a side with given words is, one that is a
// piece of a gap may be.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/options.h"
#include "bough/base/random.h"
#include "bough/generate/avoided.h"
#include "bough/tree/tree.h"

namespace bough {

struct Gap {
  static constexpr int64_t kUnbounded = INT64_MAX / 4;  // sums of a few don't overflow

  int64_t min = 0;
  int64_t max = kUnbounded;
};

struct Demands {
  std::vector<GivenWord> given = {};
  std::vector<Gap> gaps = {Gap{}};  // one more than given words
  int64_t min_length = 0;           // of the sentence
  int64_t max_length = Gap::kUnbounded;
  std::vector<Phrase> avoided = {};  // see avoid()
  std::vector<GivenWord> bag = {};   // where it isn't empty, free words come from it, each once
  std::vector<int> ranks = {};  // of the given words: the lowest of a slot's is placed; or none
  // Words that would be glued to the one behind them: none stands right before a given word. (With
  // a bag they may: where all of it has to be used, nothing else may be left.)
  std::shared_ptr<const std::vector<WordId>> unfinished = nullptr;

  /// None of these phrases. Where given words would make one, words are demanded between them;
  /// UnmetError where none may be there.
  void avoid(std::vector<Phrase> phrases);

  /// UnmetError where no sentence can meet them all.
  void check() const;
};

/// All of these words, each as often as it is there, and no other.
std::shared_ptr<const Demands> demand_permutation(std::span<const std::string> words,
                                                  const Vocabulary& vocabulary);

/// Some random words of a sentence, in their order, with anything between them: what completing is
/// judged by. `count` of them, or all of fewer.
Demands demand_some_words(std::span<const std::string> sentence, size_t count,
                          const Vocabulary& vocabulary, RandomStream& random);

/// Of a sentence that came to a slot where a word is due and every one is to be avoided.
UnmetError nothing_left();

/// Which of a slot's given words is placed there, if there are no ranks: the one that the policy
/// likes best, the middle one, or the first.
enum class SeedShape { kBest, kBalanced, kChain };
template <>
struct EnumNames<SeedShape> {
  static constexpr auto kNames =
      std::to_array<EnumName<SeedShape>>({{SeedShape::kBest, "best"},
                                          {SeedShape::kBalanced, "balanced"},
                                          {SeedShape::kChain, "chain"}});
};

class Demanded {
 public:
  static constexpr int kFree = -1;  // no given word

  /// The demands have been checked.
  explicit Demanded(std::shared_ptr<const Demands> demands, Shape shape = Shape::kEnd);

  Shape shape() const { return shape_; }

  /// What may be done at the front slot: place one of the given words [first, last), or if there
  /// are none, take a word or <end>, at least one of them.
  struct Choice {
    int first = 0;
    int last = 0;
    bool word = true;
    bool end = true;
    bool too_long = false;  // no word because of the sentence's length
  };
  Choice choice() const;

  /// Which sides a given word, or a free one, may have at the front slot: one choice at least.
  AllowedSides sides(int given, bool within_length = true) const;

  /// The words of the bag that are left, by number; empty where there is no bag.
  std::span<const WordId> bag_words() const { return bag_words_; }

  /// The words that may not be taken at the front slot, where no given word is due: those that
  /// would make a phrase, and those that would be glued to a given word.
  std::vector<WordId> avoided() const {
    return words_.completing(demands_->avoided, parts_[front()].left);
  }
  /// Whether there is anything to avoid: then there may be nothing left to take.
  bool avoids() const { return !demands_->avoided.empty(); }
  std::span<const WordId> unfinished() const {
    bool there = demands_->unfinished && demands_->bag.empty() && parts_[front()].before_given;
    return there ? std::span<const WordId>(*demands_->unfinished) : std::span<const WordId>();
  }
  const GivenWord& given(int index) const { return demands_->given[static_cast<size_t>(index)]; }
  /// The one of choice()'s given words with the lowest rank, or -1 where they have no ranks.
  int ranked(const Choice& choice) const;

  /// Each in step with the tree, and only as choice() allows.
  void place_given(int index, Sides open = Sides::kBoth);
  void take_word(WordId word, Sides open = Sides::kBoth);
  void take_end();

  /// Whether some words are given, or a bag.
  bool names_words() const { return !demands_->given.empty() || !demands_->bag.empty(); }

  /// For each node in level order: the text where it is not the vocabulary's, and whether it was
  /// given.
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<bool>& was_given() const { return was_given_; }

 private:
  /// A slot's given words, and its gaps: those before, between and behind them.
  struct Part {
    int first = 0;
    int last = 0;
    int left = WordsSoFar::kBegin;  // the word before it
    bool before_given = false;      // whether the word behind it, of those that are there, is given
  };
  struct GapState {
    int64_t placed = 0;
    int64_t open = 1;    // slots in it, or that will be
    bool maybe = false;  // where words come with their sides: whether it has slots isn't said yet
  };
  struct GapChange {
    int gap = 0;
    GapState state;
  };

  size_t front() const { return steps_; }
  const Gap& bounds(int gap) const { return demands_->gaps[static_cast<size_t>(gap)]; }
  /// Words that the sentence will have at least.
  int64_t committed() const;
  /// Words that it can have at most once a slot of `closing` is closed.
  int64_t reachable_without(int closing) const;
  /// Where words come with their sides, and none is given.
  Choice choice_with_sides() const;
  /// What becomes of gaps if a word is put into the front slot with these sides.
  std::vector<GapChange> changes(int given, Sides open) const;
  /// Whether all can be met after them, where each slot takes a word at least.
  bool can_be_met(std::span<const GapChange> changes, bool within_length) const;
  /// Does as changes() says, and the word's open sides become slots.
  void fill_front(int given, Sides open, const Part& left, const Part& right);

  std::shared_ptr<const Demands> demands_;
  Shape shape_;
  size_t steps_ = 0;
  std::vector<Part> parts_;  // by slot
  std::vector<GapState> gaps_;
  WordsSoFar words_;                                 // none where nothing is avoided
  std::vector<WordId> bag_words_;                    // distinct ones that are left
  std::vector<std::vector<std::string>> bag_texts_;  // of each, those that are left
  std::vector<std::string> texts_;
  std::vector<bool> was_given_;
};

}  // namespace bough
