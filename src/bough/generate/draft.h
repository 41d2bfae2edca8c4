// A sentence being written: its tree so far and what is demanded of the rest. Whoever chooses
// actions (decoder.h, beam.h) asks it what is allowed, so no way of choosing can break a promise.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bough/generate/demands.h"
#include "bough/generate/sampler.h"
#include "bough/tree/trace.h"
#include "bough/tree/tree.h"

namespace bough {

/// A sentence as ids; texts are the caller's to add.
struct DecodedTree {
  Tree tree;
  std::vector<StepScore> scores;  // by step; empty unless asked for
  bool finished = true;
  bool stuck = false;                   // no word was left for a slot: it isn't what was asked for
  std::vector<std::string> texts = {};  // by node, where they aren't the vocabulary's; or none
  std::vector<bool> given = {};         // by node; or none
};

class Draft {
 public:
  /// The demands have been checked; `max_depth` 0 is no bound, nor `expected_length` a guess.
  Draft(std::shared_ptr<const Demands> demands, Shape shape, int64_t max_depth,
        double expected_length)
      : demanded_(std::move(demands), shape),
        max_depth_(max_depth),
        expected_length_(expected_length) {}

  const Tree& tree() const { return result_.tree; }
  const Demanded& demanded() const { return demanded_; }
  /// By step; empty unless they are added.
  std::span<const StepScore> scores() const { return result_.scores; }

  /// Where no given word is due: what may be done at the front slot; what the sampler never takes
  /// is its own business.
  Allowed allowed() const;
  /// How many words are expected to come at the front slot; below 0: too many are there.
  double words_due() const;
  /// Forbids the words that are demanded not to be there.
  void forbid_words(ActionDistribution& slot) const;

  /// The sides that a given word, or else (kFree) a word of the policy's, may have at the front
  /// slot.
  static constexpr int kFree = Demanded::kFree;
  AllowedSides sides(int given) const;

  void place_given(int index, Sides open);
  /// A word, or <end>.
  void take(Action action);
  void add_score(const StepScore& score) { result_.scores.push_back(score); }

  DecodedTree finish() &&;

 private:
  bool too_deep(int below = 0) const {
    return max_depth_ > 0 && result_.tree.front_slot().depth + below >= max_depth_;
  }
  /// Whether the bounds of length or depth keep a word from having more sides than these.
  bool kept_from_more(int given, Sides open) const;

  Demanded demanded_;
  int64_t max_depth_;
  double expected_length_;
  DecodedTree result_;
};

}  // namespace bough
