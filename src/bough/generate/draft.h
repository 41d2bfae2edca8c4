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
  std::vector<std::string> texts = {};  // by node, where they aren't the vocabulary's; or none
  std::vector<bool> given = {};         // by node; or none
};

class Draft {
 public:
  /// The demands have been checked; `max_depth` 0 is no bound, nor `expected_length` a guess.
  Draft(std::shared_ptr<const Demands> demands, int64_t max_depth, double expected_length)
      : demanded_(std::move(demands)), max_depth_(max_depth), expected_length_(expected_length) {}

  const Tree& tree() const { return result_.tree; }
  const Demanded& demanded() const { return demanded_; }

  /// Where no given word is due: what may be done at the front slot, whose other words are
  /// forbidden; what the sampler never takes is its own business.
  Allowed allow(ActionDistribution& slot) const;

  void place_given(int index);
  /// A word, or <end>.
  void take(WordId action);
  void add_score(const StepScore& score) { result_.scores.push_back(score); }

  DecodedTree finish() &&;

 private:
  double words_due() const;
  bool too_deep() const { return max_depth_ > 0 && result_.tree.front_slot().depth >= max_depth_; }

  Demanded demanded_;
  int64_t max_depth_;
  double expected_length_;
  DecodedTree result_;
};

}  // namespace bough
