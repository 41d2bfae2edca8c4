// Which model of a run is kept.
//
// Where the task has a goal of its own (judge.h), the one that reaches most of it; else, where
// perplexity is estimated (--valid-likelihood), the one with the lowest. Else the one with the
// lowest validation loss among the epochs with the newest loss β: another β is another objective,
// so its losses aren't compared; while β still falls, the newest model counts as the best. Without
// validation data the last model is the best there is.
#pragma once

#include <cstdint>

#include "bough/train/training_report.h"

namespace bough {

/// The best so far.
struct BestModel {
  double loss = 0.0;         // at validation
  double beta = -1.0;        // of the loss; -1: nothing validated yet
  double goal = -1.0;        // of the judge, or 1/perplexity; -1: nothing judged by one yet
  int64_t epoch = 0;         // counted from 1
  int64_t epochs_since = 0;  // judged since then, and worse

  /// Whether the model that was judged is better.
  bool is_beaten_by(const EpochReport& report) const;

  /// Counts a judged model in, which took its place (`report.best`) or didn't.
  void add(const EpochReport& report);

  /// Whether a model that couldn't be judged takes its place all the same. `has_goal`: whether the
  /// task's goal, and not the loss at this β, would have decided.
  bool yields_unjudged(double newest_beta, bool has_goal) const {
    return !has_goal && goal < 0.0 && newest_beta != beta;
  }
};

}  // namespace bough
