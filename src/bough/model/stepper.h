// A policy one action at a time, without gradients: what roll-in and decoding walk with.
//
// A stepper holds the state of some sentences (rows) that are written side by side. What it gives
// for a row depends on that row's actions alone, to the last bit, whatever the other rows are.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bough/tree/step_input.h"

namespace bough {

/// Of each of kAllSides.
using SideScores = std::array<float, kAllSides.size()>;

class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Begins a sentence for each source: each is at its empty tree.
  virtual void start(std::span<const SourceIds> sources) = 0;

  /// Goes one action further in each row, and begins more sentences in rows behind them.
  virtual void advance(std::span<const StepInput> inputs,
                       std::span<const SourceIds> fresh = {}) = 0;

  /// Goes on with these rows, in this order; one may be named several times.
  virtual void keep(std::span<const int64_t> rows) = 0;

  /// Logits of a few actions in one row.
  virtual void scores(int64_t row, std::span<const WordId> actions,
                      std::span<float> logits) const = 0;

  /// Logits of all actions in all rows: `logits` is [rows, vocabulary].
  virtual void all_scores(std::span<float> logits) const = 0;

  /// Logits of a list of actions, whose numbers rise, for each row: one list behind the other.
  virtual void listed_scores(std::span<const std::span<const WordId>> lists,
                             std::span<float> logits) const {
    for (size_t row = 0; row < lists.size(); ++row) {
      scores(static_cast<int64_t>(row), lists[row], logits.first(lists[row].size()));
      logits = logits.subspan(lists[row].size());
    }
  }

  /// The <end> head's logits by row; empty where the policy has none.
  virtual std::span<const float> end_logits() const = 0;

  /// One row's, or null.
  const float* end_logit(int64_t row) const {
    return end_logits().empty() ? nullptr : &end_logits()[static_cast<size_t>(row)];
  }

  /// How the policy tells a tree's shape, and where that is by the words' sides, the logits of
  /// these for one row and word. Threads may ask side by side.
  virtual Shape shape() const { return Shape::kEnd; }
  virtual SideScores side_logits(int64_t /*row*/, WordId /*word*/) const { return {}; }

  virtual int64_t rows() const = 0;
  virtual int64_t vocabulary() const = 0;
};

}  // namespace bough
